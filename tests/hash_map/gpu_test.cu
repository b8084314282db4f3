// The table's kernels on a CUDA device: what is inserted is found, sums are exact, a full table
// says so; then how many finds and inserts a second the device does. Exits with 77 where there is
// none.
//
//   hash_map.gpu [LOG2_SLOTS]    default 22; 28 (4 GiB) is larger than any cache. On the processors
//                                of the test driver 10, and no rate is reported
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "oriel/hash_map.cuh"

namespace {

using oriel::phase_kind;
using word = std::uint64_t;
template <phase_kind P>
using table_in = oriel::hash_map_ref<word, word, P>;

void check(bool right, const char* what) {
  if (right) return;
  std::fprintf(stderr, "hash_map.gpu: %s (%s)\n", what, cudaGetErrorString(cudaGetLastError()));
  std::exit(1);
}

// Zeroed memory that kernels and the host reach; device memory for the table itself.
template <class T>
T* allocate(std::size_t n, bool managed = true) {
  void* memory = nullptr;
  check((managed ? cudaMallocManaged(&memory, n * sizeof(T))
                 : cudaMalloc(&memory, n * sizeof(T))) == cudaSuccess,
        "no memory");
  check(cudaMemset(memory, 0, n * sizeof(T)) == cudaSuccess, "memset");
  return static_cast<T*>(memory);
}

template <class Launch>
double seconds(Launch launch) {
  check(cudaDeviceSynchronize() == cudaSuccess, "synchronize");
  const auto start = std::chrono::steady_clock::now();
  check(launch() == oriel::errc::success, "launch");
  check(cudaDeviceSynchronize() == cudaSuccess, "a kernel failed");
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

__global__ void make_keys(word* keys, word* values, std::size_t n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  // An odd factor permutes the words: keys are different and in no order.
  if (i < n) values[i] = (keys[i] = i * 0x9e3779b97f4a7c15u) + 1;
}
__global__ void count_wrong(const word* keys, const word* values, const bool* found, word more,
                            std::size_t n, unsigned long long* wrong) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n && (!found[i] || values[i] != keys[i] + more)) atomicAdd(wrong, 1ull);
}

// A key that is reserved, and one whose slot a thread began to write and never finished, are
// neither found nor absent.
void check_failed_finds(cudaStream_t stream) {
  using oriel::slot_layout;
  constexpr word slots = 8;
  using general = oriel::hash_map_ref<word, word, phase_kind::find_only, slot_layout::general>;
  using slot = oriel::detail::hash_slot<word, word, slot_layout::general>;
  word** const parts = allocate<word*>(1);
  parts[0] = allocate<word>(slots * general::slot_bytes / sizeof(word));
  word* const key = allocate<word>(1);
  word* const value = allocate<word>(1);
  bool* const found = allocate<bool>(1);
  auto* const failures = allocate<unsigned long long>(1);
  *key = ~word{0};
  const table_in<phase_kind::find_only> packed(parts, 1, slots);
  seconds([&] { return find(packed, key, value, found, 1, failures, stream); });
  check(*failures == 1 && !*found, "a find of a reserved key is taken for one that is absent");
  *key = 5;
  const word h = oriel::detail::hash_of(slot::key_image::of(*key));
  for (word i = 0; i < slots; ++i) parts[0][i * slot::words] = slot::busy_word(h);
  seconds([&] { return find(general(parts, 1, slots), key, value, found, 1, failures, stream); });
  check(*failures == 2 && !*found, "a find of a stalled slot is taken for one of an absent key");
}

}  // namespace

int main(int argc, char** argv) {
  int devices = 0;
  if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) return 77;
  cudaDeviceProp about;
  check(cudaGetDeviceProperties(&about, 0) == cudaSuccess, "properties");
  const bool on_processors = std::string_view(about.name) == "test device";
  const word slots = word{1} << (argc > 1 ? std::atoi(argv[1]) : on_processors ? 10 : 22);
  const std::size_t n = slots;  // in two parts: load 0.5
  word** const parts = allocate<word*>(2);
  for (int part = 0; part < 2; ++part) parts[part] = allocate<word>(slots * 2, false);
  word* const keys = allocate<word>(n, false);
  word* const values = allocate<word>(n, false);
  bool* const found = allocate<bool>(n, false);
  auto* const failures = allocate<unsigned long long>(2);
  const auto blocks = static_cast<unsigned>((n + 255) / 256);
  make_keys<<<blocks, 256>>>(keys, values, n);

  const cudaStream_t stream = nullptr;
  const table_in<phase_kind::insert_only> in(parts, 2, slots);
  const table_in<phase_kind::find_only> out(parts, 2, slots);
  const table_in<phase_kind::mixed> both(parts, 2, slots);
  const auto expect_values = [&](word more, const char* what) {
    check(cudaMemset(values, 0, n * sizeof(word)) == cudaSuccess, "memset");
    check(find(out, keys, values, found, n, failures, stream) == oriel::errc::success, "find");
    failures[1] = 0;
    count_wrong<<<blocks, 256>>>(keys, values, found, more, n, failures + 1);
    check(cudaDeviceSynchronize() == cudaSuccess && failures[1] == 0, what);
  };

  const double inserting = seconds([&] { return insert(in, keys, values, n, failures, stream); });
  check(failures[0] == 0, "an insert failed");
  expect_values(1, "a key was not found, or not with its value");
  // Every key is present: inserting again changes nothing; adding each key's value to itself does.
  seconds([&] { return insert(both, keys, keys, n, failures, stream); });
  expect_values(1, "an insert changed a value that was there");
  check(cudaMemset(values, 0, n * sizeof(word)) == cudaSuccess, "memset");
  seconds([&] { return insert_or_assign(in, keys, keys, n, failures, stream); });
  expect_values(0, "a value was not assigned");
  check(failures[0] == 0, "an operation failed");

  double finding = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double took =
        seconds([&] { return find(out, keys, values, found, n, failures, stream); });
    finding = took < finding ? took : finding;
  }
  if (on_processors)
    std::printf("hash_map.gpu: 2 parts of %llu slots, on processors\n",
                static_cast<unsigned long long>(slots));
  else
    std::printf("hash_map.gpu: 2 parts of %llu slots, load 0.5: %.2f G finds/s, %.2f G inserts/s\n",
                static_cast<unsigned long long>(slots), static_cast<double>(n) / finding / 1e9,
                static_cast<double>(n) / inserting / 1e9);

  // Sums of one key by all threads; and a table of 8 slots a part that cannot hold all keys.
  for (int part = 0; part < 2; ++part)
    check(cudaMemset(parts[part], 0, slots * 16) == cudaSuccess, "memset");
  word* const same = allocate<word>(n);
  word* const ones = allocate<word>(n);
  for (std::size_t i = 0; i < n; ++i) same[i] = i % 5, ones[i] = 1;
  seconds([&] { return fetch_add(both, same, ones, n, failures, stream); });
  seconds([&] { return find(out, same, values, found, 5, failures, stream); });
  word sums[5], all = 0;
  check(cudaMemcpy(sums, values, sizeof sums, cudaMemcpyDeviceToHost) == cudaSuccess, "copy");
  for (const word s : sums) all += s;
  check(all == n && failures[0] == 0, "sums are not exact");
  const table_in<phase_kind::insert_only> small(parts, 2, 8);
  for (int part = 0; part < 2; ++part)
    check(cudaMemset(parts[part], 0, slots * 16) == cudaSuccess, "memset");
  const std::size_t crowd = n < 1000 ? n : 1000;
  seconds([&] { return insert(small, keys, keys, crowd, failures, stream); });
  check(failures[0] == crowd - 16, "a full table took more than it holds");
  check_failed_finds(stream);
  return 0;
}
