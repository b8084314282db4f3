// The structures of DLPack 0.8, by which array libraries exchange memory of devices.
#pragma once

#include <cstdint>

#include "bindings/python/src/element_type.hpp"

namespace oriel::python::dlpack {

enum class device_type : std::int32_t {
  cpu = 1,
  cuda = 2,
  cuda_host = 3,
  rocm = 10,
  rocm_host = 11,
  cuda_managed = 13,
  oneapi = 14,
};

struct device {
  device_type type = device_type::cpu;
  std::int32_t number = 0;
};

struct number_type {
  std::uint8_t code = 0;  // 0 signed, 1 unsigned, 2 floating, 5 complex, 6 bool
  std::uint8_t bits = 0;
  std::uint16_t lanes = 1;
};

struct tensor {
  void* data = nullptr;
  device where{};
  std::int32_t dimensions = 0;
  number_type type{};
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;  // in elements; null: dense, in C's order
  std::uint64_t byte_offset = 0;
};

struct managed_tensor {
  tensor of{};
  void* manager = nullptr;
  void (*deleter)(managed_tensor*) = nullptr;
};

// Throws TypeError for elements that DLPack has no name for.
number_type type_of(const element_type&);

}  // namespace oriel::python::dlpack
