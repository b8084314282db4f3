// Random bytes of the kernel, for secrets.
#pragma once

#include <sys/random.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <type_traits>

#include "oriel/errc.hpp"

namespace oriel::sessions {

// A T of random bytes. Throws errc::system.
template <class T>
[[nodiscard]] T random_value() {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 256, "getrandom gives these whole");
  T value;
  if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value))
    throw error(errc::system, std::string("getrandom: ") + std::strerror(errno));
  return value;
}

}  // namespace oriel::sessions
