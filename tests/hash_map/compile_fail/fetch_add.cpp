// Must not compile: nothing is added to while all find.
#define MAP hash_map<int, int>
#define PHASE find_only()
#define OFFENCE fetch_add(1, 2)
#include "offence.hpp"
