// Random elements of the memory that two processes share, both at work: loops over plain pointers.
// Those beside lists have blocks of 64 fetched while the block before is performed; those beside
// views are plain.
#include <unistd.h>

#include <array>
#include <atomic>

#include "bench/limits/machine.hpp"
#include "bench/limits/processes.hpp"
#include "bench/support/random_places.hpp"

namespace bench {
namespace {

using word = std::uint64_t;

constexpr int parts = 2;
constexpr std::size_t block = 64;

struct element_lists {
  explicit element_lists(int rank) : to(rank, parts), results(random_draws) {}
  random_places<std::int32_t, word> to;
  std::vector<word> results;
};

class list_loops {
 public:
  list_loops(processes& all, const arguments& a, char* base)
      : all_(all), a_(a), base_(base), lists_(all.rank()) {}

  // `op(element, result)` in blocks.
  template <class Op>
  void blocked(const char* name, Op op) {
    row(name, [&](std::size_t first, std::size_t n) {
      std::array<std::array<word*, block>, 2> found;
      std::size_t here = find(first, first + n, found[0]);
      for (std::size_t at = first, turn = 0; here != 0; turn ^= 1) {
        const std::size_t next = find(at + here, first + n, found[turn ^ 1]);
        for (std::size_t j = 0; j < here; ++j) op(*found[turn][j], lists_.results[at + j]);
        at += here;
        here = next;
      }
    });
  }
  // `op(element)` returns what is summed up.
  template <class Op>
  void plain(const char* name, Op op) {
    row(name, [&](std::size_t first, std::size_t n) {
      word sum = 0;
      for (std::size_t i = first; i < first + n; ++i) sum += op(*element(i));
      keep(sum);
    });
  }

 private:
  template <class Work>
  void row(const char* name, Work work) {
    if (!a_.wants(name)) return;
    print_row(all_, name, sizeof(word), nanoseconds_a_draw(all_, a_.seconds, work, [] {}));
  }
  [[nodiscard]] word* element(std::size_t i) const {
    constexpr std::size_t stride = random_elements * sizeof(word);
    return reinterpret_cast<word*>(base_ + static_cast<std::size_t>(lists_.to.ranks[i]) * stride) +
           lists_.to.disps[i];
  }
  std::size_t find(std::size_t first, std::size_t end, std::array<word*, block>& found) const {
    const std::size_t n = std::min(end - first, block);
    for (std::size_t j = 0; j < n; ++j) {
      found[j] = element(first + j);
      __builtin_prefetch(found[j], 1);
    }
    return n;
  }

  processes& all_;
  const arguments& a_;
  char* base_;
  element_lists lists_;
};

using atomic_word = std::atomic_ref<word>;

void measure(processes& all, const arguments& a, char* base) {
  list_loops loops(all, a, base);
  constexpr auto relaxed = std::memory_order_relaxed;
  loops.blocked("list_gather", [](word& e, word& r) { r = atomic_word(e).load(relaxed); });
  loops.blocked("list_scatter", [](word& e, word&) { atomic_word(e).store(1, relaxed); });
  loops.blocked("list_histogram", [](word& e, word&) { atomic_word(e).fetch_add(1, relaxed); });
  loops.blocked("list_swap", [](word& e, word& r) { r = atomic_word(e).exchange(1, relaxed); });
  loops.plain("view_get", [](word& e) { return atomic_word(e).load(relaxed); });
  loops.plain("view_add", [](word& e) {
    atomic_word(e).fetch_add(1, relaxed);
    return word{0};
  });
  loops.plain("view_swap", [](word& e) { return atomic_word(e).exchange(1, relaxed); });
}

}  // namespace

void list_limits(const arguments& a) {
  if (!a.wants_any({"list_gather", "list_scatter", "list_histogram", "list_swap", "view_get",
                    "view_add", "view_swap"}))
    return;
  const shared_memory memory(parts * random_elements * sizeof(word));
  processes all(parts);
  measure(all, a, memory.as<char>());
  all.barrier();
  if (all.rank() != 0) _exit(0);
}

}  // namespace bench
