// hash_map with 8 + 8 bytes at load 0.5, its parts much larger than the caches: batches of keys of
// all ranks, every rank at work.
#include <span>

#include "bench/rows/rows.hpp"
#include "oriel/hash_map.hpp"

namespace bench {
namespace {

using namespace oriel;
using word = std::uint64_t;

constexpr word mine = word{1} << 22;    // keys a rank: its part has 2^23 slots, 128 MiB
constexpr std::size_t batch = 1 << 16;  // keys of a call

// Time of one of this rank's keys, to within a barrier.
template <class Work>
double timed(oriel_party& all, Work work) {
  all.barrier();
  const auto start = std::chrono::steady_clock::now();
  for (word i = 0; i < mine; i += batch) work(i);
  all.barrier();
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
  return took.count() / static_cast<double>(mine);
}

void check(const bulk_result& r, std::size_t expected) {
  r.outcome.or_throw();
  if (r.count != expected) throw error(errc::count, "a hash_map row counted wrongly");
}

}  // namespace

void hash_map_rows(oriel_party& all, const arguments& a) {
  constexpr const char* cases[] = {"map_insert", "map_fetch_add", "map_find", "map_find_one",
                                   "map_find_one_mixed"};
  if (std::none_of(std::begin(cases), std::end(cases), [&](auto c) { return a.wants(c); })) return;
  const word total = mine * static_cast<word>(all.size());
  hash_map<word, word> map(all.world(), total);
  // An odd factor permutes the words, so that the ranks' keys are different and in no order.
  std::vector<word> keys(mine), values(mine, 1);
  const auto key = [](word i) { return i * 0x9e3779b97f4a7c15u; };
  const word first = static_cast<word>(all.rank()) * mine;
  for (word i = 0; i < mine; ++i) keys[i] = key(first + i);
  const auto keys_at = [&](word i) { return std::span<const word>(keys).subspan(i, batch); };
  const auto values_at = [&](word i) { return std::span(values).subspan(i, batch); };
  double insert = 0, add = 0, find = 0;
  {
    auto p = map.insert_only();
    insert = timed(all, [&](word i) { check(p.insert(keys_at(i), values_at(i)), batch); });
  }
  // Now keys that any rank inserted, each once, in an order that no cache helps.
  for (word i = 0; i < mine; ++i)
    keys[i] = key((i * 2'654'435'761u + static_cast<word>(all.rank()) * (mine / 2)) % total);
  {
    auto p = map.insert_only();
    add = timed(all, [&](word i) { check(p.fetch_add(keys_at(i), values_at(i)), 0); });
  }
  {
    auto p = map.find_only();
    find = timed(all, [&](word i) { check(p.find(keys_at(i), values_at(i)), batch); });
  }
  const auto find_each = [&](const char* name, auto phase) {
    if (!a.wants(name)) return;
    word found = 0;
    const double each = timed(all, [&](word i) {
      for (const word k : keys_at(i)) found += phase.find(k).value_or(0);
    });
    keep(found);
    print_row(all, name, 16, each);
  };
  find_each("map_find_one", map.find_only());
  find_each("map_find_one_mixed", map.mixed());
  if (a.wants("map_insert")) print_row(all, "map_insert", 16, insert);
  if (a.wants("map_fetch_add")) print_row(all, "map_fetch_add", 16, add);
  if (a.wants("map_find")) print_row(all, "map_find", 16, find);
}

}  // namespace bench
