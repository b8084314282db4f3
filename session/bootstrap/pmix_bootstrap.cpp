#include "session/bootstrap/pmix_bootstrap.hpp"

#include "session/bootstrap/pmix_client.hpp"

namespace oriel::sessions {
namespace {

class pmix_bootstrap final : public bootstrap {
 public:
  pmix_bootstrap(pmix_client& server, std::chrono::milliseconds timeout)
      : server_(&server), timeout_(timeout) {}

  [[nodiscard]] int rank() const noexcept override { return server_->rank(); }
  [[nodiscard]] int size() const noexcept override { return server_->size(); }

  std::vector<std::string> allgather(const std::string& mine) override {
    server_->share(mine, timeout_);
    std::vector<std::string> all;
    all.reserve(static_cast<std::size_t>(size()));
    for (int r = 0; r < size(); ++r)
      all.push_back(r == rank() ? mine : server_->fetch(r, timeout_));
    server_->finish_round();
    return all;
  }

 private:
  pmix_client* server_;
  std::chrono::milliseconds timeout_;
};

}  // namespace

std::unique_ptr<bootstrap> join_pmix(std::chrono::milliseconds timeout) {
  // The one connection that a process has, for as long as it runs: see pmix_client.hpp. When it
  // cannot be made, the next session tries again.
  static pmix_client server(timeout);
  return std::make_unique<pmix_bootstrap>(server, timeout);
}

}  // namespace oriel::sessions
