// A hash table of 8 + 8 bytes in a window much larger than the caches, both ranks at work on both
// parts: insert by compare_swap, find by get, and finds in batches that prefetch.
#include "bench/rows/rows.hpp"

namespace bench {
namespace {

using namespace oriel;
using word = std::uint64_t;

constexpr word slots = word{1} << 23;  // a rank: 128 MiB
constexpr word keys = slots / 2;       // a rank: load 0.5

word mixed(word i) {
  i = (i ^ (i >> 30)) * 0xbf58476d1ce4e5b9u;
  i = (i ^ (i >> 27)) * 0x94d049bb133111ebu;
  return i ^ (i >> 31);
}

// A number below `n` from the high bits of a hash: cheaper than a remainder.
word scaled(word h, word n) {
  return ((h >> 32) * n) >> 32;
}

class table {
 public:
  static constexpr assertion_set promise = assertion::shared_lock | assertion::remote_load_store;

  explicit table(const team& t)
      : window_(window<word, promise>::allocate(t, 2 * slots)),
        epoch_(window_.lock_all()),
        ranks_(static_cast<word>(t.size())) {
    for (int r = 0; r < t.size(); ++r) parts_.push_back(window_.remote(rank{r}).data());
  }

  struct place {
    rank owner;
    word slot;
  };
  [[nodiscard]] place first(word key) const {
    const word h = mixed(key);
    return {rank{static_cast<std::int32_t>(scaled(h, ranks_))}, h & (slots - 1)};
  }
  void insert(word key, word value) {
    for (place p = first(key);; p.slot = (p.slot + 1) & (slots - 1)) {
      const word found = window_.compare_swap(p.owner, disp{2 * p.slot}, 0, key);
      if (found != 0 && found != key) continue;
      static_cast<void>(window_.put(p.owner, disp{2 * p.slot + 1}, value));
      return;
    }
  }
  [[nodiscard]] word find(word key) { return find_from(first(key), key); }
  [[nodiscard]] word find_from(place p, word key) {
    for (;; p.slot = (p.slot + 1) & (slots - 1)) {
      const word found = window_.get(p.owner, disp{2 * p.slot});
      if (found == key) return window_.get(p.owner, disp{2 * p.slot + 1});
      if (found == 0) return 0;
    }
  }
  void prefetch(place p) const {
    __builtin_prefetch(parts_[static_cast<std::size_t>(p.owner.value)] + 2 * p.slot);
  }
  void clear() {
    for (word& w : window_.remote(me())) w = 0;
  }
  [[nodiscard]] rank me() const { return window_.members().me(); }

 private:
  window<word, promise> window_;
  epoch epoch_;
  word ranks_;
  std::vector<word*> parts_;
};

// Time of one of `n`, on the slowest rank's clock to within a barrier.
template <class Work>
double timed(oriel_party& all, word n, Work work) {
  all.barrier();
  const auto start = std::chrono::steady_clock::now();
  work();
  all.barrier();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(n);
}

}  // namespace

void hash_rows(oriel_party& all, const arguments& a) {
  if (!a.wants("hash_insert") && !a.wants("hash_find") && !a.wants("hash_find_batch")) return;
  table t(all.world());
  const word mine = static_cast<word>(all.rank()) * keys + 1;
  // The pages are touched by their owner first, as in any table that is cleared before use.
  t.clear();
  const double insert = timed(all, keys, [&] {
    for (word i = 0; i < keys; ++i) t.insert(mine + i, i + 1);
  });
  // Keys of both ranks, in an order that no cache helps.
  const auto key_at = [&](word i) {
    return scaled(mixed(i * 2 + static_cast<word>(all.rank())),
                  keys * static_cast<word>(all.size())) +
           1;
  };
  word sum = 0;
  const double find = timed(all, keys, [&] {
    for (word i = 0; i < keys; ++i) sum += t.find(key_at(i));
  });
  constexpr word ahead = 32;
  std::array<table::place, ahead> places;
  std::array<word, ahead> wanted;
  const double batch = timed(all, keys, [&] {
    for (word i = 0; i < keys; i += ahead) {
      for (word k = 0; k < ahead; ++k) {
        wanted[k] = key_at(i + k);
        places[k] = t.first(wanted[k]);
        t.prefetch(places[k]);
      }
      for (word k = 0; k < ahead; ++k) sum += t.find_from(places[k], wanted[k]);
    }
  });
  keep(sum);
  if (a.wants("hash_insert")) print_row(all, "hash_insert", 16, insert);
  if (a.wants("hash_find")) print_row(all, "hash_find", 16, find);
  if (a.wants("hash_find_batch")) print_row(all, "hash_find_batch", 16, batch);
}

}  // namespace bench
