// The PTX in what nvcc embeds: a fat binary (of -fatbin), or the wrapper that host code registers.
#pragma once

#include <optional>
#include <string>

namespace oriel::test_driver::ptx {

// Text that begins with ".version" is PTX itself. Of several entries, the one for the oldest
// architecture. Nothing where there is none; `why` gets the reason.
std::optional<std::string> ptx_of(const void* image, std::string& why);

}  // namespace oriel::test_driver::ptx
