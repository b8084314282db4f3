// Where each rank of a job reports what it does, without oriel: a file that the driver makes and
// all map. The driver reads from it which rank hangs where, and whether all have the same team.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>

#include "tests/faults/random/plan.hpp"

namespace oriel::testing {

inline constexpr const char* board_variable = "ORIEL_TEST_BOARD";

enum class finding : std::uint32_t { none, done, split, wrong };

// Who writes is the rank alone, unless it says otherwise.
struct rank_record {
  static constexpr int most_rounds = 8;

  std::atomic<std::uint64_t> steps{0};  // how many it has begun
  std::atomic<int> pid{0};
  std::atomic<int> round{0};
  std::atomic<int> work{0};
  std::atomic<int> target{-1};
  std::atomic<int> window{-1};
  std::atomic<bool> dying{false};  // set just before it dies; whoever is stopped lives
  // Windows of the present round that it has begun to free: round * 100 + number.
  std::atomic<int> frees{0};
  std::atomic<int> holds{0};    // windows of the present round that it has built
  std::array<char, 64> step{};  // what it does now
  std::atomic<finding> found{finding::none};
  std::array<char, 1000> text{};  // of what was found
  // A wrong error, the first: the rank goes on, to see what comes of it.
  std::atomic<bool> erred{false};
  std::array<char, 1000> error{};
  // The team of each round, as ranks of the job; a size of 0: it has not come so far.
  struct team_record {
    std::atomic<int> size{0};
    std::array<int, most_ranks> members{};
  };
  std::array<team_record, most_rounds> teams{};

  void conclude(finding f, std::string_view why) noexcept {
    text[why.copy(text.data(), text.size() - 1)] = '\0';
    found.store(f, std::memory_order_release);
  }
  void note_error(std::string_view what) noexcept {
    if (erred) return;
    error[what.copy(error.data(), error.size() - 1)] = '\0';
    erred.store(true, std::memory_order_release);
  }
};

struct board {
  std::array<rank_record, most_ranks> ranks;
};

// The board at `path`, for as long as it lives. The driver makes it.
class mapped_board {
 public:
  explicit mapped_board(const std::string& path) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    void* const at = fd < 0 || ftruncate(fd, sizeof(board)) != 0
                         ? MAP_FAILED
                         : mmap(nullptr, sizeof(board), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (fd >= 0) close(fd);
    if (at == MAP_FAILED) throw std::runtime_error("cannot map the board " + path);
    board_ = static_cast<board*>(at);  // zeroes are its first state
  }
  ~mapped_board() { munmap(board_, sizeof(board)); }
  mapped_board(const mapped_board&) = delete;
  mapped_board& operator=(const mapped_board&) = delete;
  board* operator->() const noexcept { return board_; }
  [[nodiscard]] rank_record& of(int rank) const noexcept {
    return board_->ranks[static_cast<std::size_t>(rank)];
  }

 private:
  board* board_ = nullptr;
};

}  // namespace oriel::testing
