// Must not compile: nothing is found while all insert.
#define MAP hash_map<int, int>
#define PHASE insert_only()
#define OFFENCE find(1)
#include "offence.hpp"
