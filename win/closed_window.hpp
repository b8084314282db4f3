// What stands in a window's place once it is closed.
#pragma once

#include <memory>

#include "win/window_core.hpp"

namespace oriel::win {

// Every operation returns errc::win, and looks at no window.
extern const detail::operation_table closed_operations;

// Instead of deleting the core of a window whose epochs were open: the objects of those may still
// name it, and find that their window is closed, until the session ends.
void keep_for_open_epochs(std::unique_ptr<detail::window_core>) noexcept;

}  // namespace oriel::win
