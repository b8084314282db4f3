// ORIEL_STATS=FILE: what was counted is added to a file, one object of JSON a line: one for each
// window that a rank frees, and one for all of a rank's when its session ends. Members that would
// be 0 are left out. A file that cannot be written is one sentence on the standard error, and
// nothing else.
#pragma once

namespace oriel::detail {
class window_core;
}

namespace oriel::win {

// Of a window that is being freed. Does nothing where ORIEL_STATS is not set.
void report_statistics(const detail::window_core&) noexcept;

}  // namespace oriel::win
