// A fixture of floors_test: never compiled.
#include "session/job.hpp"
