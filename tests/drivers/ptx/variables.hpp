// Declarations of variables: of functions, of blocks (.shared), of the module (.global, .const).
#pragma once

#include <cstdint>

#include "tests/drivers/ptx/module.hpp"
#include "tests/drivers/ptx/reader.hpp"

namespace oriel::test_driver::ptx {

// [.align N] .type NAME [N]…, behind its space; returns it at the next such place after `end`.
// Without a number in the brackets it has no bytes.
variable declared(reader&, std::uint32_t& end);

// Reads those of blocks and of the module from the whole text, which uses some before it declares
// them.
void read_variables(reader&, module&);

// From one's space to behind its end.
void skip_variable(reader&);

}  // namespace oriel::test_driver::ptx
