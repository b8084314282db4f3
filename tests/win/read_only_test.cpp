// Windows over memory that may only be read: programs map tables of constants so, and a read of
// them, atomic ones included, writes nothing, whoever performs it.
#include <sys/mman.h>

#include <complex>
#include <vector>

#include "oriel/any_window.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

constexpr std::size_t count = 8;
constexpr auto promise = assertion::shared_lock | assertion::multi_element;

template <class T>
T value_of(int owner, std::size_t i) {
  return T(static_cast<float>(owner * 100 + static_cast<int>(i)));
}

// `count` elements, which are this rank's, in pages that nobody may write.
template <class T>
class constants {
 public:
  constants() {
    void* const at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    at_ = static_cast<T*>(at);
    for (std::size_t i = 0; i < count; ++i) new (at_ + i) T(value_of<T>(me(), i));
    EXPECT_EQ(mprotect(at, bytes, PROT_READ), 0);
  }
  ~constants() { munmap(at_, bytes); }
  constants(const constants&) = delete;
  constants& operator=(const constants&) = delete;
  std::span<T> span() const noexcept { return {at_, count}; }

 private:
  static constexpr std::size_t bytes = 4096;
  T* at_;
};

template <class T>
class ReadOnly : public ::testing::Test {};
// Of 8 bytes; of 16, aligned and not; of more than any instruction's.
using elements =
    ::testing::Types<std::uint64_t, std::complex<double>, long double, std::complex<long double>>;
TYPED_TEST_SUITE(ReadOnly, elements);

TYPED_TEST(ReadOnly, MemoryIsReadByEverybody) {
  using T = TypeParam;
  const constants<T> mine;
  auto w = window<T, promise>::create(world(), mine.span());
  {
    auto epoch = w.lock_all();
    for (int r = 0; r < ranks(); ++r) {
      for (std::size_t i = 0; i < count; ++i) {
        EXPECT_EQ(w.get(rank{r}, disp{i}), value_of<T>(r, i));
        EXPECT_EQ(w.template fetch_op<atomic_op::no_op>(rank{r}, disp{i}, T{}), value_of<T>(r, i));
      }
      std::vector<T> all(count);
      EXPECT_TRUE(w.get_accumulate(atomic_op::no_op, rank{r}, disp{0}, {}, std::span(all)).ok());
      EXPECT_TRUE(w.flush(rank{r}).ok());
      for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(all[i], value_of<T>(r, i));
    }
    EXPECT_TRUE(epoch.end().ok()) << w.failure();
  }
}

// The same by the element's type alone, as MPI programs name it.
TYPED_TEST(ReadOnly, MemoryIsReadByElementType) {
  using T = TypeParam;
  const constants<T> mine;
  any_window w = any_window::create(world(), mine.span().data(), count * sizeof(T),
                                    datatype::bytes(1), promise | assertion::user_datatype);
  EXPECT_TRUE(w.lock_all().ok());
  for (int r = 0; r < ranks(); ++r) {
    std::vector<T> all(count);
    EXPECT_TRUE(w.get_accumulate(atomic_op::no_op, primitive_of<T>(), rank{r}, disp{0}, nullptr,
                                 all.data(), count)
                    .ok());
    EXPECT_TRUE(w.flush(rank{r}).ok());
    for (std::size_t i = 0; i < count; ++i) EXPECT_EQ(all[i], value_of<T>(r, i));
  }
  EXPECT_TRUE(w.unlock_all().ok()) << w.failure();
}

}  // namespace
}  // namespace oriel::testing
