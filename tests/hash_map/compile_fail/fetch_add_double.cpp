// Must not compile: only integers are added to.
#define MAP hash_map<int, double>
#define PHASE mixed()
#define OFFENCE fetch_add(1, 2.0)
#include "offence.hpp"
