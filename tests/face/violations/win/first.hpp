#include "win/second.hpp"
