// The news that a rank has received and passes on over its links, in the order of arrival. Every
// link has a position of its own in it, so that a new one gets everything, and a slow one costs no
// memory. Each rank is in it a few times at most.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "session/node/link_message.hpp"
#include "sync/system.hpp"

namespace oriel::sessions {

class news_log {
 public:
  using clock = sync::clock;

  // To be passed on by `due`, together with all that is there by then. `from`: the rank that sent
  // it, to which it is not sent back.
  void add(int rank, link_news::about what, int from, clock::time_point due) {
    items_.push_back({what, rank, from});
    due_ = std::min(due_, due);
  }
  void clear() noexcept {
    items_.clear();
    released_ = 0;
    due_ = clock::time_point::max();
  }
  // Lets go of what is due; when the rest will be.
  clock::time_point release(clock::time_point now) noexcept {
    if (now >= due_) release_all();
    return due_;
  }
  void release_all() noexcept {
    released_ = items_.size();
    due_ = clock::time_point::max();
  }

  // Appends what is released and lies behind place `at` to `out`, as messages to `peer`: all of it
  // or a good many, ranks that follow each other in one message. Returns the place behind that;
  // `at` itself when there was nothing.
  std::size_t append_to(std::string& out, std::size_t at, int peer, std::uint32_t turn = 0) const;

 private:
  struct item {
    link_news::about what;
    int rank;
    int from;
  };
  std::vector<item> items_;
  std::size_t released_ = 0;
  clock::time_point due_ = clock::time_point::max();
};

}  // namespace oriel::sessions
