// A job whose ranks are threads of one process, which tell each other by memory what a launcher
// would carry.
#pragma once

#include <barrier>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "oriel/errc.hpp"
#include "session/bootstrap/bootstrap.hpp"

namespace oriel::testing {

// `lie` changes what all receive.
class told_by_memory {
 public:
  using lie = std::function<void(std::vector<std::string>&)>;
  explicit told_by_memory(int ranks, lie change = nullptr)
      : change_(std::move(change)), parts_(static_cast<std::size_t>(ranks)), meet_(ranks) {}

  class place final : public sessions::bootstrap {
   public:
    place(told_by_memory& all, int rank) : all_(all), rank_(rank) {}
    [[nodiscard]] int rank() const noexcept override { return rank_; }
    [[nodiscard]] int size() const noexcept override {
      return static_cast<int>(all_.parts_.size());
    }
    std::vector<std::string> allgather(const std::string& mine) override {
      all_.parts_[static_cast<std::size_t>(rank_)] = mine;
      all_.meet_.arrive_and_wait();
      std::vector<std::string> told = all_.parts_;
      all_.meet_.arrive_and_wait();
      if (all_.change_) all_.change_(told);
      return told;
    }

   private:
    told_by_memory& all_;
    int rank_;
  };

  // `part` on every rank; what each has thrown, by rank.
  std::vector<std::string> on_all(const std::function<void(place&)>& part) {
    std::vector<std::string> thrown(parts_.size());
    std::vector<std::thread> ranks;
    for (std::size_t r = 0; r < parts_.size(); ++r)
      ranks.emplace_back([&, r] {
        place here(*this, static_cast<int>(r));
        try {
          part(here);
        } catch (const error& e) {
          thrown[r] = e.what();
        }
      });
    for (std::thread& t : ranks) t.join();
    return thrown;
  }

 private:
  lie change_;
  std::vector<std::string> parts_;
  std::barrier<> meet_;
};

}  // namespace oriel::testing
