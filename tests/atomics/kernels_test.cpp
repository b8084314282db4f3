// Every accumulate and compare-and-swap kernel against the oracle: one thread, every mode,
// alignment, run length and element type.
#include "atomics/kernels.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "atomics/wide_word.hpp"
#include "tests/atomics/oracle.hpp"
#include "tests/sync/processes.hpp"

namespace oriel {
namespace {

using namespace atomics;
using namespace oriel::testing;

struct lock_block {
  alignas(64) std::byte bytes[stripes::bytes()];
};

template <class F>
void for_each_kernel(F f) {
  for (int o = 0; o < atomic_op_count; ++o)
    for (int p = 0; p < primitive_count; ++p)
      f(static_cast<atomic_op>(o), static_cast<primitive>(p));
}
std::string label(atomic_op op, primitive p) {
  return std::string(name(op)) + " on " + std::string(name(p));
}

// Memory whose element run begins `shift` bytes after a 64-byte boundary, with a margin on both
// sides that nobody may touch.
class run_buffer {
 public:
  static constexpr std::size_t margin = 64;
  static constexpr unsigned char untouched = 0xa5;
  run_buffer(std::size_t bytes, std::size_t shift)
      : all_(bytes + shift + 2 * margin + 64, std::byte{untouched}), bytes_(bytes) {
    const auto base = reinterpret_cast<std::uintptr_t>(all_.data());
    begin_ = margin + (64 - base % 64) % 64 + shift;
  }
  std::byte* at() { return all_.data() + begin_; }
  bool margins_intact() const {
    for (std::size_t i = 0; i < all_.size(); ++i)
      if ((i < begin_ || i >= begin_ + bytes_) && all_[i] != std::byte{untouched}) return false;
    return true;
  }

 private:
  std::vector<std::byte> all_;
  std::size_t bytes_;
  std::size_t begin_;
};

TEST(kernels, exist_exactly_where_the_operation_is_defined) {
  for_each_kernel([](atomic_op op, primitive p) {
    for (const auto mode : {kernel_mode::atomic, kernel_mode::plain})
      EXPECT_EQ(accumulate_kernel(op, p, mode) != nullptr, defined(op, p)) << label(op, p);
  });
}

void check_run(atomic_op op, primitive p, kernel_mode mode, std::size_t shift, std::size_t n,
               bool fetch, stripes& locks, std::mt19937_64& random) {
  const std::size_t size = size_of(p);
  run_buffer target(n * size, shift), origin(n * size, shift), result(n * size, shift);
  std::vector<element> before, operand;
  for (std::size_t i = 0; i < n; ++i) {
    before.push_back(some_element(p, random));
    operand.push_back(some_element(p, random));
    std::memcpy(target.at() + i * size, before[i].data(), size);
    std::memcpy(origin.at() + i * size, operand[i].data(), size);
  }
  const bool use_origin = op != atomic_op::no_op;
  const auto kernel = accumulate_kernel(op, p, mode);
  ASSERT_EQ(kernel(target.at(), use_origin ? origin.at() : nullptr, fetch ? result.at() : nullptr,
                   n, &locks, shift),
            errc::success);
  for (std::size_t i = 0; i < n; ++i) {
    ASSERT_EQ(normal(p, read_element(p, target.at() + i * size)),
              normal(p, oracle(op, p, before[i], operand[i])))
        << "element " << i;
    ASSERT_EQ(read_element(p, origin.at() + i * size), operand[i]);
    if (fetch) {
      ASSERT_EQ(read_element(p, result.at() + i * size), before[i]);
    }
  }
  EXPECT_TRUE(target.margins_intact() && origin.margins_intact() && result.margins_intact());
}

TEST(kernels, agree_with_the_oracle) {
  const shared<lock_block> block;
  const told_watch watch;
  stripes locks(block->bytes, 0, watch);
  std::mt19937_64 random(1);
  for_each_kernel([&](atomic_op op, primitive p) {
    if (!defined(op, p)) return;
    for (const auto mode : {kernel_mode::atomic, kernel_mode::plain})
      for (const std::size_t shift : {0, 1, 2, 4, 8, 33})
        for (const std::size_t n : {0, 1, 2, 7, 64})
          for (const bool fetch : {false, true}) {
            SCOPED_TRACE(label(op, p) + (mode == kernel_mode::plain ? " plain" : " atomic") +
                         " shift " + std::to_string(shift) + " n " + std::to_string(n));
            check_run(op, p, mode, shift, n, fetch, locks, random);
            if (::testing::Test::HasFatalFailure()) return;
          }
  });
}

// A window without locks says so instead of losing atomicity.
TEST(kernels, refuse_what_needs_a_lock_when_there_is_none) {
  alignas(64) std::byte target[128] = {}, origin[128] = {}, result[128] = {};
  for_each_kernel([&](atomic_op op, primitive p) {
    if (!defined(op, p)) return;
    const auto kernel = accumulate_kernel(op, p, kernel_mode::atomic);
    const std::size_t size = size_of(p);
    const bool lock_free = size <= 8 || (size == wide_bytes && wide_is_atomic());
    EXPECT_EQ(kernel(target, origin, result, 1, nullptr, 0), lock_free ? errc::success : errc::type)
        << label(op, p);
    if (size == 1) return;
    result[1] = std::byte{7};
    EXPECT_EQ(kernel(target + 1, origin, result, 1, nullptr, 1), errc::type) << label(op, p);
    EXPECT_EQ(result[1], std::byte{7}) << "a result was stored without success";
    result[1] = {};
  });
}

// Operands and targets that came as bytes: not 0 is true.
TEST(kernels, take_bools_by_their_truth) {
  const unsigned char bytes[] = {0, 1, 2, 3, 0x80, 0xff};
  constexpr std::size_t n = std::size(bytes);
  for (const auto mode : {kernel_mode::atomic, kernel_mode::plain})
    for (const atomic_op op : {atomic_op::land, atomic_op::lor, atomic_op::lxor})
      for (const unsigned char operand : bytes) {
        unsigned char target[n], origin[n], result[n];
        std::copy_n(bytes, n, target);
        std::fill_n(origin, n, operand);
        ASSERT_EQ(
            accumulate_kernel(op, primitive::boolean, mode)(target, origin, result, n, nullptr, 0),
            errc::success);
        for (std::size_t i = 0; i < n; ++i) {
          const bool a = bytes[i] != 0, b = operand != 0;
          const bool expected = op == atomic_op::land  ? a && b
                                : op == atomic_op::lor ? a || b
                                                       : a != b;
          EXPECT_EQ(target[i], expected ? 1 : 0) << label(op, primitive::boolean) << " of "
                                                 << int{bytes[i]} << " and " << int{operand};
          EXPECT_EQ(result[i] != 0, a);
        }
      }
}

// no_op reads, from memory too that may only be read.
TEST(kernels, write_nothing_where_they_only_read) {
  constexpr std::size_t n = 5, page = 4096;
  const shared<lock_block> block;
  const told_watch watch;
  stripes locks(block->bytes, 0, watch);
  std::mt19937_64 random(2);
  for (int i = 0; i < primitive_count; ++i) {
    const auto p = static_cast<primitive>(i);
    const auto kernel = accumulate_kernel(atomic_op::no_op, p, kernel_mode::atomic);
    if (kernel == nullptr) continue;
    auto* const memory = static_cast<std::byte*>(
        mmap(nullptr, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    ASSERT_NE(memory, MAP_FAILED);
    for (std::size_t at = 0; at + size_of(p) <= page; at += size_of(p))
      std::memcpy(memory + at, some_element(p, random).data(), size_of(p));
    ASSERT_EQ(mprotect(memory, page, PROT_READ), 0);
    child reader([&] {
      std::byte result[n * 32];
      for (const std::size_t shift : {0, 1, 2, 4, 8, 16}) {
        if (kernel(memory + shift, nullptr, result, n, &locks, shift) != errc::success) return 1;
        // A bool that is read is 0 or 1, as these are wherever they begin.
        for (std::size_t at = 0; at < n * size_of(p); at += size_of(p))
          if (read_element(p, result + at) != read_element(p, memory + shift + at)) return 2;
      }
      return 0;
    });
    EXPECT_EQ(reader.join(), 0) << label(atomic_op::no_op, p) << " (-1: killed)";
    munmap(memory, page);
  }
}

TEST(compare_swap, stores_on_equal_bytes_only) {
  const shared<lock_block> block;
  const told_watch watch;
  stripes locks(block->bytes, 0, watch);
  for (std::size_t bytes = 1; bytes <= 16; ++bytes) {
    const auto swap = compare_swap_kernel(bytes);
    ASSERT_NE(swap, nullptr);
    for (const std::size_t shift : {0, 1, 4, 8}) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, shift " + std::to_string(shift));
      const element a(bytes, 'a'), b(bytes, 'b');
      element nearly = a;
      nearly.back() = 'x';  // differs in its last byte only
      run_buffer target(bytes, shift);
      std::memcpy(target.at(), a.data(), bytes);
      element old(bytes, '\0');
      const auto now = [&] { return element(reinterpret_cast<char*>(target.at()), bytes); };
      ASSERT_EQ(swap(target.at(), nearly.data(), b.data(), old.data(), &locks, shift),
                errc::success);
      EXPECT_EQ(old, a);
      EXPECT_EQ(now(), a);
      ASSERT_EQ(swap(target.at(), a.data(), b.data(), old.data(), &locks, shift), errc::success);
      EXPECT_EQ(old, a);
      EXPECT_EQ(now(), b);
      EXPECT_TRUE(target.margins_intact());
    }
  }
  EXPECT_EQ(compare_swap_kernel(std::size_t{0}), nullptr);
  EXPECT_EQ(compare_swap_kernel(std::size_t{17}), nullptr);
}

TEST(compare_swap, covers_the_types_of_at_most_16_bytes) {
  for (int i = 1; i < primitive_count; ++i) {
    const auto p = static_cast<primitive>(i);
    EXPECT_EQ(compare_swap_kernel(p) != nullptr, size_of(p) <= 16) << name(p);
  }
  EXPECT_EQ(compare_swap_kernel(primitive::opaque), nullptr);
}

TEST(stripes, spread_blocks_and_keep_a_block_together) {
  EXPECT_EQ(stripes::of(256), stripes::of(511));
  for (const std::uint64_t stride : {256u, 4096u, 65536u, 1u << 21}) {
    std::vector<int> used(64, 0);
    for (std::uint64_t i = 0; i < 64; ++i) ++used[stripes::of(i * stride)];
    EXPECT_LE(*std::max_element(used.begin(), used.end()), 8) << "stride " << stride;
  }
}

// The owner dies with the lock: the kernel comes back, and leaves target and result alone.
TEST(stripes, report_a_dead_owner) {
  const shared<lock_block> block;
  const shared<std::atomic<std::uint32_t>> dead;
  const told_watch watch(dead.get());
  stripes mine(block->bytes, 0, watch);
  child owner([&] {
    stripes theirs(block->bytes, 1, watch);
    const bool taken = theirs.take(stripes::of(0)) == errc::success;
    dead->store(1);
    return taken ? 0 : 1;
  });
  ASSERT_EQ(owner.join(), 0);
  const std::complex<long double> one(1, 1);
  std::complex<long double> target(5, 5), result(9, 9);
  const auto begin = steady::now();
  const auto sum = accumulate_kernel(atomic_op::sum, primitive::complex_long, kernel_mode::atomic);
  EXPECT_EQ(sum(&target, &one, &result, 1, &mine, 0), errc::peer_failed);
  EXPECT_LT(steady::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(target, std::complex<long double>(5, 5));
  EXPECT_EQ(result, std::complex<long double>(9, 9));
}

}  // namespace
}  // namespace oriel
