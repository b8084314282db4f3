// Random bytes of the kernel, for secrets.
#pragma once

#include <sys/random.h>

#include <type_traits>

#include "session/system_failure.hpp"

namespace oriel::sessions {

// A T of random bytes. Throws errc::system.
template <class T>
[[nodiscard]] T random_value() {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 256, "getrandom gives these whole");
  T value;
  if (getrandom(&value, sizeof value, 0) != static_cast<ssize_t>(sizeof value))
    system_failure("getrandom");
  return value;
}

}  // namespace oriel::sessions
