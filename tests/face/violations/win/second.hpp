#include "win/first.hpp"
