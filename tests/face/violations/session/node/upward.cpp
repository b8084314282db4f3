// A fixture of floors_test: never compiled.
#include "session/team/job.hpp"
