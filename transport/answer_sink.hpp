// What takes the bytes of an answer that do not go to one place.
#pragma once

#include <cstddef>
#include <span>

namespace oriel::transport {

class answer_sink {
 public:
  virtual ~answer_sink() = default;
  // The bytes of an answer that reports success, as many as the peer sent. Called at most once, by
  // whatever thread makes progress; must not wait, nor begin an operation.
  virtual void take(std::span<const std::byte> answer) noexcept = 0;
};

}  // namespace oriel::transport
