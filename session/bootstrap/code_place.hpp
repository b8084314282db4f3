// Places of a program in words, for reports: source lines, or machine code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "oriel/call_site.hpp"

namespace oriel::sessions {

// Machine code in a file that is mapped: the same in every process that runs it, wherever it was
// loaded.
struct code_place {
  std::string_view file;     // of the program or the library; empty where nothing is mapped
  std::uint64_t offset = 0;  // the address that the file itself gives the code
};

// Returns where the call is that returns to `code`. Any thread; takes the dynamic linker's lock.
code_place find_code(const void* code) noexcept;

// Returns "put.c:70 in main" where the file has debug information, "put+0x11a5 in main" where it
// has symbols alone, else "put+0x11a5". The first two need the program addr2line (binutils),
// which is run and given some seconds. `file` may be the end of a name. Throws std::bad_alloc.
std::string in_words(const code_place&);
// Returns "main.cpp:17". Requires: the place is not in_code. Throws std::bad_alloc.
std::string in_words(call_site);

}  // namespace oriel::sessions
