// A fixture of floors_test: never compiled.
#include "win/window_core.hpp"
