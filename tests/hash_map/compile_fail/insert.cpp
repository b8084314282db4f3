// Must not compile: nothing is inserted while all find.
#define MAP hash_map<int, int>
#define PHASE find_only()
#define OFFENCE insert(1, 2)
#include "offence.hpp"
