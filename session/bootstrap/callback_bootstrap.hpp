// A job as an embedding program describes it: its allgather of equal parts, made one of parts of
// any length.
#pragma once

#include <string>
#include <vector>

#include "session/bootstrap/bootstrap.hpp"

namespace oriel::sessions {

class callback_bootstrap final : public bootstrap {
 public:
  // Throws arg when the callbacks contradict themselves.
  explicit callback_bootstrap(bootstrap_callbacks callbacks);

  [[nodiscard]] int rank() const noexcept override { return callbacks_.rank; }
  [[nodiscard]] int size() const noexcept override { return callbacks_.size; }
  std::vector<std::string> allgather(const std::string& mine) override;

 private:
  void gather(const void* mine, std::size_t bytes, void* all);

  bootstrap_callbacks callbacks_;
};

}  // namespace oriel::sessions
