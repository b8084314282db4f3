// What has first gone wrong in a container.
#pragma once

#include <mutex>
#include <string>
#include <utility>

#include "oriel/detail/failure_note.hpp"
#include "oriel/errc.hpp"

namespace oriel::detail {

// Threads: any.
class first_failure {
 public:
  // `whose`: how every text begins: "hash_map 'counts': ".
  explicit first_failure(std::string whose) : whose_(std::move(whose)) {}

  // Returns `code`.
  [[gnu::cold]] errc note(errc code, const std::string& why) noexcept {
    const std::string text = whose_ + why;
    note_failure(0, code, text);
    const std::lock_guard lock(noting_);
    if (text_.empty()) text_ = text;
    return code;
  }
  // Empty while nothing has.
  [[nodiscard]] std::string text() const {
    const std::lock_guard lock(noting_);
    return text_;
  }

 private:
  std::string whose_;
  mutable std::mutex noting_;
  std::string text_;
};

}  // namespace oriel::detail
