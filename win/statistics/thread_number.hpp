// Numbers of the threads of this process that count, from 1 on: the lowest that is free.
#pragma once

namespace oriel::win {

// Gives this thread a number, until it ends: `surplus` where `most_threads` have one.
void number_this_thread() noexcept;

}  // namespace oriel::win
