// oriel-info --topology --svg: the machine, drawn by hwloc.
#pragma once

#include <sys/types.h>

#include <string>

namespace oriel::tools {

// Has lstopo draw what oriel sees of this machine, and writes the picture to `file`. `job` other
// than 0: a process as watched_job takes it, whose job's ranks are shown where they may run. Throws
// errc::system where there is no lstopo, or it fails, both before the file is touched, or the file
// cannot be written; and as watched_job does.
void draw_topology(const std::string& file, pid_t job);

}  // namespace oriel::tools
