// Timing shared by the rows of oriel, of the peers and of the machine's limits: standard C++ only,
// so that each is measured in the same way.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace bench {

// The ranks of a measurement. `agree` returns rank 0's value on every rank.
struct party {
  virtual ~party() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void barrier() = 0;
  virtual double agree(double mine) = 0;
};

// Repeats `run(n)` with growing n until it takes `seconds` on rank 0; returns the time of one of
// the n, in nanoseconds. The first never counts: connections are made in it, and buffers. All ranks
// call it; `run` itself restricts work to rank 0.
template <class Run>
double nanoseconds_each(party& all, double seconds, Run run) {
  bool is_first = true;
  for (double n = 8;;) {
    all.barrier();
    const auto start = std::chrono::steady_clock::now();
    run(static_cast<long>(n));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    // A rank that is only a target waits in this barrier, in which it makes progress.
    all.barrier();
    const double t = all.agree(took.count());
    const bool is_long = t >= seconds * 0.6 || n > 2e9;
    if (is_long && !is_first) return t / n * 1e9;
    if (std::exchange(is_first, false) && is_long) continue;
    const double wanted = n * seconds / std::max(t, 1e-7);
    n = static_cast<double>(static_cast<long>(std::clamp(wanted, n * 2, n * 20)));
  }
}

// Keeps a value from being optimized away.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

// An origin buffer in huge pages where the system has them, so that where a run's pages happen to
// lie decides nothing.
class page_buffer {
 public:
  explicit page_buffer(std::size_t bytes)
      : base_(static_cast<char*>(
            std::aligned_alloc(huge_page, (bytes + huge_page - 1) / huge_page * huge_page))) {
    if (base_ == nullptr) std::exit(1);
    madvise(base_, (bytes + huge_page - 1) / huge_page * huge_page, MADV_HUGEPAGE);
    std::memset(base_, 1, bytes);
  }
  ~page_buffer() { std::free(base_); }
  page_buffer(const page_buffer&) = delete;
  page_buffer& operator=(const page_buffer&) = delete;
  [[nodiscard]] char* data() const { return base_; }

 private:
  static constexpr std::size_t huge_page = 2u << 20;
  char* base_;
};

inline void print_row(party& all, const std::string& name, std::size_t bytes, double ns) {
  if (all.rank() != 0) return;
  std::printf("%s %d %zu %.4f\n", name.c_str(), all.size(), bytes, ns);
  std::fflush(stdout);
}

// --case A,B --seconds S --net; no --case: all. Other words are ignored here.
struct arguments {
  std::vector<std::string> cases;
  double seconds = 0.2;
  bool net = false;  // between nodes, not within one

  arguments(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
      const std::string word = argv[i];
      if (word == "--net") net = true;
      if (i + 1 == argc) break;
      if (word == "--seconds") seconds = std::atof(argv[++i]);
      if (word == "--case") take_cases(argv[++i]);
    }
  }
  [[nodiscard]] bool wants(const std::string& name) const {
    return cases.empty() || std::find(cases.begin(), cases.end(), name) != cases.end();
  }
  [[nodiscard]] bool wants_any(std::initializer_list<const char*> names) const {
    return std::any_of(names.begin(), names.end(), [this](const char* n) { return wants(n); });
  }

 private:
  void take_cases(std::string text) {
    for (std::size_t at; (at = text.find(',')) != std::string::npos; text.erase(0, at + 1))
      cases.push_back(text.substr(0, at));
    cases.push_back(text);
  }
};

inline const std::vector<std::size_t> transfer_sizes{4u << 10,   16u << 10, 64u << 10,
                                                     256u << 10, 1u << 20,  4u << 20};
// One transfer between nodes, where the time is the wire's and not the caches'.
inline constexpr std::size_t net_transfer = 1u << 20;
// What datatypes lay out between nodes: a square tile of doubles in a matrix twice as wide, and
// elements of an array that are so far apart.
inline constexpr std::size_t net_tile_side = 256;
inline constexpr std::size_t net_matrix = 2 * net_tile_side * net_tile_side * 8;
inline constexpr std::size_t net_apart = 16;
inline constexpr std::size_t net_picked = 65536 / net_apart;
// Puts that the network has in flight before their flush.
inline constexpr long puts_a_stream = 64;
// As in the OSU bandwidth tests: a window of transfers, then one flush.
inline constexpr long transfers_a_flush = 64;
// Transfers to memory that the program had before its window.
inline const std::vector<std::size_t> private_sizes{4u << 10, 64u << 10, 1u << 20};
// Sums into a window.
inline const std::vector<std::size_t> sum_sizes{4u << 10, 64u << 10, 1u << 20};
// Buffers of 64 bytes that are attached, or allocated, while one more comes and goes.
inline constexpr std::size_t many_buffers = 100'000;
// A shared window that is made, touched by those whose parts they are, and freed.
inline constexpr std::size_t touched_bytes = 1u << 30;
// Elements that 8-byte rows walk over: 4 KiB, one page of the first-level cache.
inline constexpr long walked = 512;

}  // namespace bench
