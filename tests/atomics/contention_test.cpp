// Atomicity under contention, for every kernel. Each participant fetches; what it found together
// with its operand gives, by the oracle, what it must have stored. If every update was atomic, the
// values found plus the last one are exactly the values stored plus the first one: a lost, doubled
// or torn update breaks that balance.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

#include "atomics/kernels.hpp"
#include "tests/atomics/oracle.hpp"
#include "tests/sync/processes.hpp"

namespace oriel {
namespace {

using namespace atomics;
using namespace oriel::testing;

struct arena {
  alignas(64) std::byte locks[stripes::bytes()];
  alignas(64) std::byte target[256];
  std::atomic<std::uint32_t> gate;
};

struct trace {
  std::vector<element> found, stored;
};

// `rounds` single-element fetches on the element at `target`.
trace hammer(atomic_op op, primitive p, std::byte* target, stripes& locks, std::uint64_t key,
             int who, int rounds) {
  std::mt19937_64 random(static_cast<unsigned>(who) + 17);
  const auto kernel = accumulate_kernel(op, p, kernel_mode::atomic);
  const std::size_t size = size_of(p);
  std::vector<element> operands;
  for (int i = 0; i < rounds; ++i)
    operands.push_back(some_element(p, random, op == atomic_op::prod));
  std::vector<element> raw(static_cast<std::size_t>(rounds), element(size, '\0'));
  for (int i = 0; i < rounds; ++i) {
    const auto at = static_cast<std::size_t>(i);
    if (kernel(target, operands[at].data(), raw[at].data(), 1, &locks, key) != errc::success)
      return {};
  }
  trace t;
  for (int i = 0; i < rounds; ++i) {
    const auto at = static_cast<std::size_t>(i);
    t.found.push_back(normal(p, read_element(p, raw[at].data())));
    t.stored.push_back(normal(p, oracle(op, p, t.found.back(), operands[at])));
  }
  return t;
}

bool balanced(const std::vector<trace>& traces, std::size_t updates, const element& first,
              const element& last) {
  std::vector<element> found{last}, stored{first};
  for (const trace& t : traces) {
    found.insert(found.end(), t.found.begin(), t.found.end());
    stored.insert(stored.end(), t.stored.begin(), t.stored.end());
  }
  std::sort(found.begin(), found.end());
  std::sort(stored.begin(), stored.end());
  return found.size() == updates + 1 && found == stored;
}

// An emulated processor takes 10 times as long for each.
#ifdef ORIEL_TEST_EMULATED
constexpr int rounds_on_each_kernel = 300;
#else
constexpr int rounds_on_each_kernel = 3000;
#endif

TEST(contention, between_threads_on_every_kernel) {
  constexpr int threads = 2, rounds = rounds_on_each_kernel;
  const shared<arena> memory;
  const told_watch watch;
  for (int o = 0; o < atomic_op_count; ++o) {
    for (int i = 1; i < primitive_count; ++i) {
      const auto op = static_cast<atomic_op>(o);
      const auto p = static_cast<primitive>(i);
      if (!defined(op, p)) continue;
      for (const std::size_t shift : {0, 4}) {
        std::byte* const target = memory->target + shift;
        std::mt19937_64 random(3);
        const element first = some_element(p, random, op == atomic_op::prod);
        std::memcpy(target, first.data(), first.size());
        std::vector<trace> traces(threads);
        in_threads(threads, [&](int who) {
          stripes locks(memory->locks, who, watch);
          traces[static_cast<std::size_t>(who)] = hammer(op, p, target, locks, shift, who, rounds);
        });
        EXPECT_TRUE(balanced(traces, threads * rounds, normal(p, first),
                             normal(p, read_element(p, target))))
            << name(op) << " on " << name(p) << " at " << shift;
      }
    }
  }
}

// Sums of units found by fetch are a permutation of 0 … n-1, and the total is n.
TEST(contention, sums_of_ones_are_a_permutation) {
  constexpr int threads = 4, rounds = 20000;
  const shared<arena> memory;
  for (const primitive p :
       {primitive::uint32, primitive::int64, primitive::float64, primitive::float_long}) {
    std::memset(memory->target, 0, sizeof memory->target);
    std::vector<std::vector<long>> found(threads);
    const told_watch watch;
    in_threads(threads, [&](int who) {
      stripes locks(memory->locks, who, watch);
      const auto sum = accumulate_kernel(atomic_op::sum, p, kernel_mode::atomic);
      with_type(p, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_arithmetic_v<T>) {
          const T one{1};
          for (int i = 0; i < rounds; ++i) {
            T before;
            sum(memory->target, &one, &before, 1, &locks, 0);
            found[static_cast<std::size_t>(who)].push_back(static_cast<long>(before));
          }
        }
      });
    });
    std::vector<long> all;
    for (const auto& f : found) {
      EXPECT_TRUE(std::is_sorted(f.begin(), f.end())) << "one thread saw the sum go back";
      all.insert(all.end(), f.begin(), f.end());
    }
    std::sort(all.begin(), all.end());
    ASSERT_EQ(all.size(), std::size_t{threads} * rounds);
    for (std::size_t i = 0; i < all.size(); ++i) ASSERT_EQ(all[i], static_cast<long>(i)) << name(p);
  }
}

// compare_swap as a counter, at every size: each success moves it by one.
TEST(contention, compare_swap_loses_nothing) {
  constexpr int threads = 2;
  constexpr std::uint16_t rounds = 3000;
  const shared<arena> memory;
  const told_watch watch;
  for (std::size_t bytes = 2; bytes <= 16; ++bytes) {
    for (const std::size_t shift : {0, 1}) {
      std::memset(memory->target, 0, sizeof memory->target);
      in_threads(threads, [&](int who) {
        stripes locks(memory->locks, who, watch);
        const auto swap = compare_swap_kernel(bytes);
        element seen(bytes, '\0');
        for (int done = 0; done < rounds;) {
          // The count at both ends of elements with room for two.
          const element expected = seen;
          element next = seen;
          std::uint16_t count = 0;
          std::memcpy(&count, expected.data(), 2);
          ++count;
          std::memcpy(next.data(), &count, 2);
          if (bytes >= 4) std::memcpy(next.data() + bytes - 2, &count, 2);
          swap(memory->target + shift, expected.data(), next.data(), seen.data(), &locks, shift);
          if (seen == expected) {
            ++done;
            seen = next;
          }
        }
      });
      std::uint16_t count = 0;
      std::memcpy(&count, memory->target + shift, 2);
      EXPECT_EQ(count, threads * rounds) << bytes << " bytes at " << shift;
    }
  }
}

// Wide elements between processes, each of which maps the memory at an address of its own: the key,
// not the address, must choose the lock. Both parts of the element move together.
class wide_elements : public ::testing::TestWithParam<std::size_t> {};

template <class T>
void hammer_between_processes(std::size_t offset, primitive p) {
  constexpr int ranks = 4, rounds = 100000;
  const int file = memfd_create("oriel-test", MFD_CLOEXEC);
  ASSERT_GE(file, 0);
  ASSERT_EQ(ftruncate(file, sizeof(arena)), 0);
  // Beside a hole of `pages` MiB, so that its address depends on that number wherever new mappings
  // go; in a range that no gap between older ones is likely to hold.
  const auto map = [file](std::size_t pages) {
    const auto reserve = [](std::size_t bytes) {
      return mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    };
    if (pages != 0 && reserve(pages << 20) == MAP_FAILED) return static_cast<arena*>(nullptr);
    void* const range = reserve(std::size_t{1} << 20);
    if (range == MAP_FAILED) return static_cast<arena*>(nullptr);
    void* const at =
        mmap(range, sizeof(arena), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file, 0);
    return at == MAP_FAILED ? nullptr : static_cast<arena*>(at);
  };
  const shared<std::array<std::atomic<std::uintptr_t>, ranks>> addresses;
  const told_watch watch;
  EXPECT_TRUE(in_processes(ranks, [&](int me) {
    arena* const memory = map(static_cast<std::size_t>(me) + 1);
    if (memory == nullptr) return 2;
    (*addresses)[static_cast<std::size_t>(me)] = reinterpret_cast<std::uintptr_t>(memory);
    stripes locks(memory->locks, me, watch);
    const auto sum = accumulate_kernel(atomic_op::sum, p, kernel_mode::atomic);
    const T one(1, 1);
    meet(memory->gate, ranks);
    for (int i = 0; i < rounds; ++i) {
      T before;
      if (sum(memory->target + offset, &one, &before, 1, &locks, offset) != errc::success) return 3;
      if (before.real() != before.imag()) return 4;
    }
    return 0;
  }));
  EXPECT_NE((*addresses)[0].load(), (*addresses)[1].load());
  arena* const memory = map(0);
  ASSERT_NE(memory, nullptr);
  T total;
  std::memcpy(static_cast<void*>(&total), memory->target + offset, sizeof total);
  EXPECT_EQ(total, T(ranks * rounds, ranks * rounds));
  munmap(memory, std::size_t{1} << 20);
  close(file);
}

TEST_P(wide_elements, are_whole_between_processes) {
  hammer_between_processes<std::complex<double>>(GetParam(), primitive::complex64);
  hammer_between_processes<std::complex<long double>>(GetParam(), primitive::complex_long);
}
INSTANTIATE_TEST_SUITE_P(at_every_alignment, wide_elements, ::testing::Values(0, 8, 17));

}  // namespace
}  // namespace oriel
