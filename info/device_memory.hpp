// A little memory of a device, where its runtime is installed and finds one. Used once in a process
// that ends soon: nothing is given back.
#pragma once

#include <cstddef>
#include <string>

namespace oriel::report {

// `iface`: "cuda" or "rocr". Null where there is none; of "ze" always, as nothing here allocates
// it.
void* device_memory(const std::string& iface, std::size_t bytes);

}  // namespace oriel::report
