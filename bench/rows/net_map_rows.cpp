// hash_map between nodes, at load 0.5: batches of keys that the last rank owns where this one is
// the first, and so on, so that all of them are far.
#include "bench/rows/map_batches.hpp"

namespace bench {
namespace {

using word = map_batches::word;

constexpr word mine = word{1} << 21;  // keys a rank: its part has 2^22 slots, 64 MiB

// `mine` keys that `owner` has.
std::vector<word> keys_of(const map_batches::map_type& map, oriel::rank owner) {
  std::vector<word> keys;
  for (word i = 1; keys.size() < mine; ++i)
    if (const word key = map_batches::key(i); map.owner(key) == owner) keys.push_back(key);
  return keys;
}

// In an order that no cache helps.
std::vector<word> mixed_up(const std::vector<word>& keys) {
  std::vector<word> mixed(keys.size());
  for (word i = 0; i < keys.size(); ++i) mixed[i] = keys[i * 2'654'435'761u % keys.size()];
  return mixed;
}

}  // namespace

void net_map_rows(oriel_party& all, const arguments& a) {
  if (!a.wants_any({"net_map_insert", "net_map_fetch_add", "net_map_find"})) return;
  map_batches::map_type map(all.world(), mine * static_cast<word>(all.size()));
  const std::vector<word> keys = keys_of(map, oriel::rank{all.size() - 1 - all.rank()});
  map_batches batches(all, map, keys);
  const double insert = batches.insert();
  batches.use(mixed_up(keys));
  const double add = batches.fetch_add();
  const double find = batches.find();
  if (a.wants("net_map_insert")) print_row(all, "net_map_insert", 16, insert);
  if (a.wants("net_map_fetch_add")) print_row(all, "net_map_fetch_add", 16, add);
  if (a.wants("net_map_find")) print_row(all, "net_map_find", 16, find);
}

}  // namespace bench
