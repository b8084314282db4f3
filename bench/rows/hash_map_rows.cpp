// hash_map at load 0.5, its parts much larger than the caches: keys of all ranks, every rank at
// work.
#include "bench/rows/map_batches.hpp"

namespace bench {
namespace {

using word = map_batches::word;

constexpr word mine = word{1} << 22;  // keys a rank: its part has 2^23 slots, 128 MiB

}  // namespace

void hash_map_rows(oriel_party& all, const arguments& a) {
  if (!a.wants_any(
          {"map_insert", "map_fetch_add", "map_find", "map_find_one", "map_find_one_mixed"}))
    return;
  const word me = static_cast<word>(all.rank()), total = mine * static_cast<word>(all.size());
  map_batches::map_type map(all.world(), total);
  std::vector<word> keys(mine);
  for (word i = 0; i < mine; ++i) keys[i] = map_batches::key(me * mine + i);
  map_batches batches(all, map, keys);
  const double insert = batches.insert();
  // Now keys that any rank inserted, each once, in an order that no cache helps.
  for (word i = 0; i < mine; ++i)
    keys[i] = map_batches::key((i * 2'654'435'761u + me * (mine / 2)) % total);
  batches.use(keys);
  const double add = batches.fetch_add();
  const double find = batches.find();
  const auto find_each = [&](const char* name, auto phase) {
    if (!a.wants(name)) return;
    word found = 0;
    const double each = batches.timed(std::move(phase), [&](auto& p, auto some, auto) {
      for (const word k : some) found += p.find(k).value_or(0);
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
