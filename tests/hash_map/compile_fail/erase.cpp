// Must not compile: only mixed phases erase.
#define MAP hash_map<int, int>
#define PHASE insert_only()
#define OFFENCE erase(1)
#include "offence.hpp"
