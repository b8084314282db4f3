// Every operation × element type × synchronization × way a window can be made, against an oracle
// that does not use oriel's arithmetic. Each rank works on its neighbour's memory.
#include "tests/win/conformance.hpp"

#include "kinds/atomic_task.hpp"
#include "tests/atomics/oracle.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t several = 5;
// Each operation has its own elements: one for fetch_op, one for accumulate, several for
// get_accumulate, several for accumulate.
constexpr std::size_t span_of_op = 2 + 2 * several;
constexpr std::size_t count = span_of_op * atomic_op_count;
// Behind them, one for a compare_swap that finds what it compares with, and one for one that does
// not.
constexpr std::size_t hit_at = count, miss_at = count + 1, all = count + 2;

struct buffers {
  explicit buffers(primitive p) : type(p), size(size_of(p)) {}
  void add(const element& e) { bytes += e; }
  [[nodiscard]] const char* at(std::size_t i) const { return bytes.data() + i * size; }
  [[nodiscard]] char* at(std::size_t i) { return bytes.data() + i * size; }
  [[nodiscard]] element get(std::size_t i) const { return normal(type, read_element(type, at(i))); }
  primitive type;
  std::size_t size;
  std::string bytes;
};

buffers random_elements(primitive p, std::size_t n, std::mt19937_64& random) {
  buffers b(p);
  for (std::size_t i = 0; i < n; ++i) b.add(some_element(p, random, true));
  return b;
}

// Kernels do less than processors.
bool applies(made how, atomic_op op, primitive p) {
  return on_device(how) ? has_kernels() && kinds::kernels_apply(op, p) : defined(op, p);
}

// What a compare_swap must have done that found what it compares with, and one that did not.
struct swaps {
  swaps(primitive p, const buffers& before, std::mt19937_64& random)
      : desired(p), other(p), result(p) {
    desired.add(some_element(p, random, true));
    other.add(before.bytes.substr(hit_at * before.size, before.size));
    other.bytes[0] = static_cast<char>(other.bytes[0] ^ 1);
    result.bytes.resize(2 * before.size);
  }
  void issue(any_window& w, rank target, const buffers& before) {
    hit =
        w.compare_swap(target, disp{hit_at}, before.at(hit_at), desired.at(0), result.at(0)).code();
    miss = w.compare_swap(target, disp{miss_at}, other.at(0), desired.at(0), result.at(1)).code();
    w.clear_failure();
  }
  void check(made how, const buffers& before, const buffers& after) const {
    const primitive p = desired.type;
    if (on_device(how) && !has_kernels() && size_of(p) <= 16) {
      EXPECT_EQ(hit, errc::op);
      return;
    }
    if (size_of(p) > (on_device(how) ? 8 : 16)) {
      EXPECT_EQ(hit, errc::type);
      return;
    }
    EXPECT_EQ(hit, errc::success);
    EXPECT_EQ(miss, errc::success);
    EXPECT_EQ(after.get(hit_at), desired.get(0));
    EXPECT_EQ(result.get(0), before.get(hit_at));
    EXPECT_EQ(result.get(1), before.get(miss_at));
    // What was compared was before[hit_at]; before[miss_at] may by chance equal `other`.
    if (before.get(miss_at) != read_element(p, other.at(0))) {
      EXPECT_EQ(after.get(miss_at), before.get(miss_at));
    }
  }
  buffers desired, other, result;
  errc hit = errc::success, miss = errc::success;
};

void check_type(made how, synced sync, primitive p) {
  SCOPED_TRACE(name(how) + ", " + name(sync) + ", " + std::string(oriel::name(p)));
  made_window m(how, all, datatype::of(p), promise_of(sync) | assertion::multi_element);
  any_window& w = m.window;
  const rank target = world().next(), origin = world().previous();
  std::mt19937_64 random(static_cast<unsigned>(me() * 100 + static_cast<int>(p)));
  const buffers before = random_elements(p, all, random);
  const buffers operand = random_elements(p, count, random);
  swaps swapped(p, before, random);
  buffers fetched(p), after(p);
  fetched.bytes.resize(before.bytes.size());
  after.bytes.resize(before.bytes.size());

  in_epoch(w, sync, target, origin, [&] {
    EXPECT_TRUE(w.put(target, disp{0}, before.at(0), 1).ok()) << w.failure();
    EXPECT_TRUE(w.put(target, disp{1}, before.at(1), all - 1).ok()) << w.failure();
  });
  in_epoch(w, sync, target, origin, [&] {
    for (int o = 0; o < atomic_op_count; ++o) {
      const auto op = static_cast<atomic_op>(o);
      const std::size_t i = static_cast<std::size_t>(o) * span_of_op;
      if (!applies(how, op, p)) {
        EXPECT_EQ(w.accumulate(op, target, disp{i}, operand.at(i)).code(), errc::op);
        w.clear_failure();
        continue;
      }
      EXPECT_TRUE(w.fetch_op(op, target, disp{i}, operand.at(i), fetched.at(i)).ok());
      EXPECT_TRUE(w.accumulate(op, target, disp{i + 1}, operand.at(i + 1)).ok());
      EXPECT_TRUE(
          w.get_accumulate(op, target, disp{i + 2}, operand.at(i + 2), fetched.at(i + 2), several)
              .ok());
      EXPECT_TRUE(
          w.accumulate(op, target, disp{i + 2 + several}, operand.at(i + 2 + several), several)
              .ok());
    }
    EXPECT_EQ(w.failure(), "");
    swapped.issue(w, target, before);
  });
  in_epoch(w, sync, target, origin,
           [&] { EXPECT_TRUE(w.get(target, disp{0}, after.at(0), all).ok()) << w.failure(); });
  for (std::size_t i = 0; i < count; ++i) {
    const auto op = static_cast<atomic_op>(i / span_of_op);
    const std::size_t within = i % span_of_op;
    if (!applies(how, op, p)) {
      EXPECT_EQ(after.get(i), before.get(i));
      continue;
    }
    const element expected =
        normal(p, oracle(op, p, read_element(p, before.at(i)), read_element(p, operand.at(i))));
    EXPECT_EQ(after.get(i), expected) << oriel::name(op) << " on element " << within;
    const bool was_fetched = within == 0 || (within >= 2 && within < 2 + several);
    if (was_fetched) {
      EXPECT_EQ(fetched.get(i), before.get(i)) << oriel::name(op) << " fetches " << within;
    }
  }
  swapped.check(how, before, after);
}

// Jobs of all combinations have ORIEL_TEST_COMBINATIONS. In others each type meets each way to make
// a window, and each synchronization, but in one or two of the synchronizations each.
bool is_this_jobs(synced sync, primitive p) {
  static const bool all = std::getenv("ORIEL_TEST_COMBINATIONS") != nullptr;
  return all || (static_cast<int>(p) + static_cast<int>(sync)) % 3 == 0;
}

class Conformance : public ::testing::TestWithParam<std::tuple<made, synced>> {};

TEST_P(Conformance, EveryOperationOnEveryType) {
  const auto [how, sync] = GetParam();
  for (int p = static_cast<int>(primitive::byte); p < primitive_count; ++p) {
    const auto type = static_cast<primitive>(p);
    if (is_this_jobs(sync, type)) check_type(how, sync, type);
  }
}

INSTANTIATE_TEST_SUITE_P(All, Conformance,
                         ::testing::Combine(::testing::ValuesIn(all_made()),
                                            ::testing::ValuesIn(all_synced)));

}  // namespace
}  // namespace oriel::testing
