// Kernels on one small table that they fill to the last slot, by many schedules of the test driver,
// each against an oracle:
//
//   schedules [--mix NAME] [--from SEED] [--seeds N] [--policy NAME] [--expect-failure]
//
// A failure prints the mix and the seed that repeat it. With --expect-failure some seed must fail:
// for kernels that ORIEL_TEST_MUTANT has broken. Exits with 77 where there is no device.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "oriel/hash_map.cuh"
#include "tests/gpu/schedules.hpp"

namespace {

using oriel::phase_kind;
using oriel::slot_answer;
using oriel::slot_layout;
using word = std::uint64_t;
struct wide {
  word a, b, c;
};

// As many keys as slots; one less in dense tables, of two lines, of which one overflows.
constexpr word sparse_slots = 8, dense_slots = 14, most_keys = 13, strange_keys = 2;
constexpr unsigned blocks = 2, threads = 48, operations = 4;
constexpr unsigned total = blocks * threads * operations;

// A value says which key it belongs to and who has made it. A torn one is not whole.
__host__ __device__ void make(word tag, word& v) {
  v = tag;
}
__host__ __device__ void make(word tag, wide& v) {
  v = {tag, tag * 3 + 1, ~tag};
}
bool whole(word) {
  return true;
}
bool whole(const wide& v) {
  return v.b == v.a * 3 + 1 && v.c == ~v.a;
}
word tag_of(word v) {
  return v;
}
word tag_of(const wide& v) {
  return v.a;
}

// once: a thread a key, which it inserts. Whatever is lost then stays lost.
// strangers: erase, among more keys than slots, of which those that have none find nothing but
// others' tombstones; and values are keys' hashes, as what marks a tombstone is.
enum class mix { insert, assign, add, erase, once, strangers };
enum class step : unsigned { insert, assign, find, erase, add };

template <class V>
struct record {
  step did;
  slot_answer answer;
  word key;
  V value;  // given or found; before an addition
};

__host__ __device__ word hash_of(word key) {
  return oriel::detail::hash_of(oriel::detail::hash_slot<word, word>::key_image::of(key));
}
__host__ __device__ word scramble(word x) {
  x = (x ^ x >> 33) * 0xff51afd7ed558ccdull;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53ull;
  return x ^ x >> 33;
}

__host__ __device__ step chosen(mix m, word r) {
  switch (m) {
    case mix::insert:
    case mix::once:
      return step::insert;
    case mix::assign:
      return r % 2 == 0 ? step::assign : step::find;
    case mix::add:
      return step::add;
    default:
      return static_cast<step>(r % 4);
  }
}

// Leaves tombstones of the keys, which a phase that only inserts finds.
template <class V, slot_layout L>
__global__ void bury(oriel::hash_map_ref<word, V, phase_kind::mixed, L> table, const word* names,
                     word keys) {
  V v;
  make(1, v);
  for (word i = 0; i < keys; ++i) table.insert(names[i], v);
  for (word i = 0; i < keys; ++i) table.erase(names[i]);
}

template <class V, slot_layout L>
__device__ slot_answer other(const oriel::hash_map_ref<word, V, phase_kind::mixed, L>& table,
                             step what, word key, V& value) {
  if (what == step::find) return table.find(key, value);
  return what == step::assign ? table.insert_or_assign(key, value) : table.erase(key);
}

template <mix M, class V, phase_kind P, slot_layout L>
__global__ void work(oriel::hash_map_ref<word, V, P, L> table, const word* names, word keys,
                     word seed, record<V>* records) {
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  for (unsigned i = 0; i < operations; ++i) {
    const word r = scramble(seed * 1000003 + me * operations + i);
    record<V> done{};
    if (M == mix::once && (i != 0 || me >= keys)) {
      records[me * operations + i] = done;  // of no key
      continue;
    }
    done.did = chosen(M, r >> 32);
    done.key = 1 + (M == mix::once ? me : r % keys);
    const word key = names[done.key - 1];
    make(M == mix::strangers ? hash_of(names[keys - 1 - (r >> 40) % strange_keys])
                             : done.key << 32 | (me * operations + i + 1),
         done.value);
    if constexpr (M == mix::add) {
      done.answer = table.fetch_add(key, 1, done.value);
    } else if (P == phase_kind::insert_only || done.did == step::insert) {
      done.answer = table.insert(key, done.value);
    } else if constexpr (P != phase_kind::insert_only) {
      done.answer = other(table, done.did, key, done.value);
    }
    records[me * operations + i] = done;
  }
}

template <class V, slot_layout L>
__global__ void look(oriel::hash_map_ref<word, V, phase_kind::find_only, L> table,
                     const word* names, record<V>* found) {
  found[threadIdx.x].key = threadIdx.x + 1;
  found[threadIdx.x].answer = table.find(names[threadIdx.x], found[threadIdx.x].value);
}

void check(cudaError_t outcome, const char* what) {
  if (outcome == cudaSuccess) return;
  std::fprintf(stderr, "schedules: %s: %s\n", what, cudaGetErrorString(outcome));
  std::exit(1);
}
template <class T>
T* managed(std::size_t n) {
  void* memory = nullptr;
  check(cudaMallocManaged(&memory, n * sizeof(T)), "cudaMallocManaged");
  return static_cast<T*>(memory);
}

// The keys; in dense tables such as begin in the first line.
template <bool Dense>
const word* names_of() {
  const auto shape = oriel::detail::table_shape::of(Dense ? dense_slots : sparse_slots, 1);
  word* const names = managed<word>(most_keys);
  word key = 1;
  for (word i = 0; i < most_keys; ++i, ++key) {
    while (Dense && shape.dense_line(hash_of(key), 0) != 0) ++key;
    names[i] = key;
  }
  return names;
}

// Of a key that has no slot, in a table whose slots others have.
template <class V>
std::string judged_stranger(const std::vector<record<V>>& of_key, const record<V>& last) {
  for (const auto& r : of_key)
    if (r.answer !=
        (r.did == step::insert || r.did == step::assign ? slot_answer::full : slot_answer::absent))
      return "a slot was taken that is another key's";
  return last.answer == slot_answer::absent ? "" : "a key is there that has no slot";
}

// What the operations on one key may have given, in some order of theirs. Empty, or what is wrong.
template <class V>
std::string judged(mix m, const std::vector<record<V>>& of_key, const record<V>& last) {
  word made = 0, gone = 0;
  std::vector<word> given, befores;
  for (const auto& r : of_key) {
    if (r.answer > slot_answer::present) return "an operation failed";
    const bool present = r.answer == slot_answer::present;
    if (r.did == step::erase) gone += present ? 1 : 0;
    if (r.did != step::erase && r.did != step::find) made += present ? 0 : 1;
    if (r.did == step::assign || (r.did == step::insert && !present))
      given.push_back(tag_of(r.value));
    if (r.did == step::add) befores.push_back(tag_of(r.value));
  }
  const bool there = last.answer == slot_answer::present;
  if (made - gone != (there ? 1u : 0u))
    return "it was made and erased at other times than was said";
  if (m == mix::add) {
    std::ranges::sort(befores);
    for (std::size_t i = 0; i < befores.size(); ++i)
      if (befores[i] != i) return "two additions saw one value";
    return there && tag_of(last.value) != befores.size() ? "an addition was lost" : "";
  }
  const auto is_given = [&](const V& v) {
    return whole(v) && std::ranges::find(given, tag_of(v)) != given.end();
  };
  for (const auto& r : of_key)
    if (r.did == step::find && r.answer == slot_answer::present && !is_given(r.value))
      return "a value was found that nobody gave";
  return there && !is_given(last.value) ? "a value is left that nobody gave" : "";
}

// One table under one schedule. Returns what was wrong.
template <mix M, class V, slot_layout L, bool Dense = false, phase_kind P = phase_kind::mixed>
std::string wrong_with(word seed, const oriel::testing::schedules& asked) {
  using table = oriel::hash_map_ref<word, V, P, L>;
  constexpr word slots = Dense ? dense_slots : sparse_slots, own = Dense ? most_keys : slots;
  constexpr word keys = own + (M == mix::strangers ? strange_keys : 0);
  constexpr std::size_t bytes = Dense ? slots / 7 * 128 : slots * table::slot_bytes;
  static word* const part = managed<word>(bytes / sizeof(word));
  static word** const parts = managed<word*>(1);
  static record<V>* const records = managed<record<V>>(total);
  static record<V>* const last = managed<record<V>>(keys);
  static const word* const names = names_of<Dense>();
  parts[0] = part;
  std::memset(part, 0, bytes);
  if (P == phase_kind::insert_only || M == mix::strangers) {
    setenv("ORIEL_TEST_SCHEDULE", "0", 1);
    bury<V, L>
        <<<1, 1>>>(oriel::hash_map_ref<word, V, phase_kind::mixed, L>(parts, 1, slots), names, own);
    check(cudaDeviceSynchronize(), "bury");
  }
  asked.begin(seed);
  work<M, V, P, L><<<blocks, threads>>>(table(parts, 1, slots), names, keys, seed, records);
  check(cudaGetLastError(), "launch");
  std::string wrong;
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = "the kernel failed";
  look<V, L><<<1, keys>>>(oriel::hash_map_ref<word, V, phase_kind::find_only, L>(parts, 1, slots),
                          names, last);
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = "the kernel failed";
  for (word key = 1; key <= keys && wrong.empty(); ++key) {
    std::vector<record<V>> of_key;
    for (unsigned i = 0; i < total; ++i)
      if (records[i].key == key) of_key.push_back(records[i]);
    wrong = key > own ? judged_stranger(of_key, last[key - 1]) : judged(M, of_key, last[key - 1]);
  }
  return wrong;
}

// What bulk operations count: keys that have no slot, and reserved ones.
std::string miscounted(word seed, const oriel::testing::schedules& asked) {
  using writer = oriel::hash_map_ref<word, word, phase_kind::insert_only>;
  using reader = oriel::hash_map_ref<word, word, phase_kind::find_only>;
  constexpr word keys = 96;
  constexpr std::size_t bytes = sparse_slots * writer::slot_bytes;
  static word* const part = managed<word>(bytes / sizeof(word));
  static word** const parts = managed<word*>(1);
  static word* const names = managed<word>(keys);
  static unsigned long long* const failures = managed<unsigned long long>(2);
  parts[0] = part;
  std::memset(part, 0, bytes);
  failures[0] = failures[1] = 0;
  for (word i = 0; i < keys; ++i) names[i] = i + 1;
  asked.begin(seed);
  oriel::insert(writer(parts, 1, sparse_slots), names, names, keys, failures, nullptr);
  check(cudaDeviceSynchronize(), "failures");
  std::fill_n(names, keys, ~word{0});
  oriel::find(reader(parts, 1, sparse_slots), names, names, nullptr, keys, failures + 1, nullptr);
  check(cudaDeviceSynchronize(), "failures");
  const bool right = failures[0] == keys - sparse_slots && failures[1] == keys;
  return right ? ""
               : std::to_string(failures[0]) + " and " + std::to_string(failures[1]) + " failures";
}

struct named {
  const char* name;
  std::string (*wrong_with)(word, const oriel::testing::schedules&);
};
constexpr auto automatic = slot_layout::automatic, general = slot_layout::general;
constexpr named mixes[] = {
    {"insert", wrong_with<mix::insert, word, automatic>},
    {"insert_general", wrong_with<mix::insert, word, general>},
    {"insert_wide", wrong_with<mix::insert, wide, automatic>},
    {"assign", wrong_with<mix::assign, word, automatic>},
    {"assign_wide", wrong_with<mix::assign, wide, automatic>},
    {"add", wrong_with<mix::add, word, automatic>},
    {"add_general", wrong_with<mix::add, word, general>},
    {"erase", wrong_with<mix::erase, word, automatic>},
    {"erase_wide", wrong_with<mix::erase, wide, automatic>},
    {"strangers", wrong_with<mix::strangers, word, automatic>},
    {"insert_dense", wrong_with<mix::insert, word, automatic, true>},
    {"assign_dense", wrong_with<mix::assign, word, automatic, true>},
    {"add_dense", wrong_with<mix::add, word, automatic, true>},
    {"erase_dense", wrong_with<mix::erase, word, automatic, true>},
    {"insert_again", wrong_with<mix::insert, word, automatic, false, phase_kind::insert_only>},
    {"add_again", wrong_with<mix::add, word, automatic, false, phase_kind::insert_only>},
    {"once_dense", wrong_with<mix::once, word, automatic, true>},
    {"failures", miscounted},
};

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  const auto asked = oriel::testing::schedules::asked_for(argc, argv);
  if (!asked) return 2;
  return asked->run("schedules", mixes,
                    [&](const named& m, word seed) { return m.wrong_with(seed, *asked); });
}
