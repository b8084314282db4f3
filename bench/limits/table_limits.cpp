// Random slots of a table that no cache holds, which two processes share, both at work, as the
// ranks of the hash rows are: with and without prefetches, to look and to claim.
#include <unistd.h>

#include <atomic>

#include "bench/limits/machine.hpp"
#include "bench/limits/processes.hpp"
#include "bench/support/random_places.hpp"

namespace bench {
namespace {

using word = std::uint64_t;

constexpr int parts = 2;
constexpr std::size_t slots = 1u << 24;  // 256 MiB of 8 + 8 bytes
constexpr word ahead = 32;

class table_loops {
 public:
  table_loops(processes& all, const arguments& a, word* words)
      : all_(all), a_(a), words_(words), next_(static_cast<word>(all.rank()) << 40) {}

  // `op(slot)` for so many; `to_be`: what will be done with the slot after the next `ahead`.
  template <class Prefetch, class Op>
  void row(const char* name, Prefetch to_be, Op op) {
    if (!a_.wants(name)) return;
    const double ns = nanoseconds_each(all_, a_.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        to_be(slot(next_ + ahead));
        op(slot(next_++));
      }
      all_.barrier();
    });
    print_row(all_, name, 16, ns);
  }
  void clear() {
    all_.barrier();
    if (all_.rank() == 0) std::fill_n(words_, slots * 2, 0);
    all_.barrier();
  }

 private:
  [[nodiscard]] word* slot(word i) const { return &words_[mixed(i) % slots * 2]; }

  processes& all_;
  const arguments& a_;
  word* words_;
  word next_;
};

void measure(processes& all, const arguments& a, word* words) {
  table_loops loops(all, a, words);
  constexpr auto nothing = [](word*) {};
  constexpr auto to_read = [](word* s) { __builtin_prefetch(s); };
  constexpr auto to_write = [](word* s) { __builtin_prefetch(s, 1); };
  word sum = 0;
  const auto look = [&sum](word* s) { sum += *s; };
  loops.row("hash_find", nothing, look);
  loops.row("hash_find_batch", to_read, look);
  loops.row("map_find", to_read, look);
  keep(sum);
  if (!a.wants("map_insert")) return;
  loops.clear();
  // A slot is claimed, and its value written; what it held before is not looked at.
  loops.row("map_insert", to_write, [](word* s) {
    std::atomic_ref(s[0]).exchange(1, std::memory_order_acquire);
    s[1] = 1;
  });
}

}  // namespace

void table_limits(const arguments& a) {
  if (!a.wants_any({"hash_find", "hash_find_batch", "map_find", "map_insert"})) return;
  const shared_memory memory(slots * 16);
  processes all(parts);
  measure(all, a, memory.as<word>());
  all.barrier();
  if (all.rank() != 0) _exit(0);
}

}  // namespace bench
