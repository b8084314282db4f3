// The record of every driver call of a process: a line each in $ORIEL_TEST_LEDGER.PID, or nowhere
// when the variable is unset. A broken rule is a line that begins with "FAULT ".
//
// Lines: `cuMemFree_v2(0x7f…) = 0`. Each is one write, so threads do not mix and a process that is
// killed loses none.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace oriel::test_driver {

void record(std::string_view call, std::string_view arguments, std::string_view result);
void fault(std::string_view rule, std::string_view detail);

// "0x7f…", as pointers are written in a ledger.
std::string text_of(const void* pointer);
inline std::string text_of(std::uint64_t value) {
  return text_of(reinterpret_cast<const void*>(value));
}

}  // namespace oriel::test_driver
