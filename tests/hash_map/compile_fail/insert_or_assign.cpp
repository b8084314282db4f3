// Must not compile: nothing is assigned while all find.
#define MAP hash_map<int, int>
#define PHASE find_only()
#define OFFENCE insert_or_assign(1, 2)
#include "offence.hpp"
