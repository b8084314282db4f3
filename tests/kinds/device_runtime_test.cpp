// What every vendor's runtime promises of memory and copies (kinds/device_runtime.hpp).
#include <algorithm>
#include <thread>

#include "kinds/classify.hpp"
#include "tests/kinds/device_fixture.hpp"

namespace oriel::testing {
namespace {

using kinds::copy_piece;
using kinds::residence;

TEST_F(device_test, DescribesItsDevices) {
  EXPECT_EQ(runtime().whose(), vendor_under_test());
  ASSERT_GE(runtime().devices(), 1);
  if (emulated()) {
    EXPECT_EQ(runtime().devices(), 2);
  }
  for (int i = 0; i < runtime().devices(); ++i) EXPECT_FALSE(runtime().describe(i).empty());
}

TEST_F(device_test, IsTheSameRuntimeAtEveryCall) {
  EXPECT_EQ(kinds::runtime(vendor_under_test()), &runtime());
  EXPECT_EQ(kinds::loaded(vendor_under_test()), &runtime());
  EXPECT_TRUE(kinds::any_runtime_loaded());
  EXPECT_EQ(kinds::why_absent(vendor_under_test()), "");
}

TEST_F(device_test, LeavesTheThreadsDeviceAsItWas) {
  const auto before = runtime().current_device();
  const auto there = allocate(residence::device, 100, runtime().devices() - 1);
  const auto here = allocate(residence::device, 100, 0);
  ASSERT_EQ(runtime().copy(there.get(), here.get(), 100), errc::success);
  ASSERT_EQ(runtime().drain(), errc::success);
  EXPECT_EQ(runtime().current_device(), before);
}

TEST_F(device_test, AllocatesZeroedMemoryOfEveryResidence) {
  for (const residence where : kinds::all_residences) {
    if (!runtime().lacks(where).empty()) continue;
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{5000}, std::size_t{3} << 20}) {
      const auto m = allocate(where, bytes);
      const auto found = read(m.get(), bytes);
      EXPECT_TRUE(std::all_of(found.begin(), found.end(), [](auto b) { return b == 0; }))
          << kinds::name(vendor_under_test(), where) << ", " << bytes << " bytes";
    }
  }
}

TEST_F(device_test, TheHostReadsAndWritesHostAndManagedMemory) {
  for (const residence where : {residence::host, residence::managed}) {
    if (!runtime().lacks(where).empty()) continue;
    const auto m = allocate(where, 4096);
    std::memset(m.get(), 7, 4096);
    EXPECT_EQ(read(m.get(), 4096), std::vector<unsigned char>(4096, 7));
  }
}

TEST_F(device_test, ClassifiesAnyByteOfAnAllocation) {
  for (const residence where : kinds::all_residences) {
    if (!runtime().lacks(where).empty()) continue;
    const int last = runtime().devices() - 1;
    const auto m = allocate(where, 10000, last);
    for (const std::size_t offset : {0, 1, 9999}) {
      const auto found = runtime().classify(m.get() + offset);
      ASSERT_TRUE(found.has_value()) << kinds::name(vendor_under_test(), where);
      EXPECT_EQ(found->whose, vendor_under_test());
      EXPECT_EQ(found->where, where);
      if (where == residence::device) {
        EXPECT_EQ(found->device, last);
      }
      EXPECT_EQ(found->base, m.get());
      EXPECT_GE(found->bytes, 10000u);
      EXPECT_NE(found->id, 0u);
      EXPECT_EQ(runtime().allocation_id(m.get() + offset), found->id);
    }
  }
}

TEST_F(device_test, DoesNotKnowPageableMemory) {
  const int on_the_stack = 0;
  const std::vector<int> on_the_heap(100);
  for (const void* p :
       {static_cast<const void*>(&on_the_stack), static_cast<const void*>(on_the_heap.data()),
        static_cast<const void*>(nullptr)}) {
    EXPECT_FALSE(runtime().classify(p).has_value());
    EXPECT_EQ(runtime().allocation_id(p), 0u);
    EXPECT_FALSE(kinds::classify(p).has_value());
  }
}

TEST_F(device_test, ForgetsWhatIsFreed) {
  auto m = allocate(residence::device, 100);
  std::byte* const where = m.get();
  ASSERT_TRUE(kinds::classify(where).has_value());
  m.release();
  EXPECT_FALSE(runtime().classify(where).has_value());
  EXPECT_FALSE(kinds::classify(where).has_value());
}

// The test driver gives the address out again at once, as real drivers often do.
TEST_F(device_test, NeverClassifiesByWhatLayThereBefore) {
  if (!emulated()) GTEST_SKIP() << "needs memory at one address twice";
  std::vector<residence> kinds_had;
  for (const residence where : kinds::all_residences)
    if (runtime().lacks(where).empty()) kinds_had.push_back(where);
  std::byte* address = nullptr;
  std::uint64_t last = 0;
  for (int round = 0; round < 3; ++round)
    for (const residence where : kinds_had) {
      const auto m = allocate(where, std::size_t{2} << 20, round % runtime().devices());
      if (address == nullptr) address = m.get();
      ASSERT_EQ(m.get(), address);
      for (int again = 0; again < 2; ++again) {
        const auto found = kinds::classify(address + 17);
        ASSERT_TRUE(found.has_value());
        EXPECT_EQ(found->where, where);
        EXPECT_NE(found->id, last);
        if (where == residence::device) {
          EXPECT_EQ(found->device, round % runtime().devices());
        }
      }
      last = kinds::classify(address)->id;
    }
}

TEST_F(device_test, PinsMemoryOfTheHost) {
  std::vector<unsigned char> run(3 * 4096 + 8192);
  auto* const page = reinterpret_cast<unsigned char*>(
      (reinterpret_cast<std::uintptr_t>(run.data()) + 4095) & ~std::uintptr_t{4095});
  EXPECT_FALSE(kinds::classify(page).has_value());
  runtime().pin(0, page, 3 * 4096);
  if (const auto found = runtime().classify(page)) {
    EXPECT_EQ(found->where, residence::host);
  }
  std::memset(page, 5, 3 * 4096);
  const auto m = allocate(residence::device, 3 * 4096);
  EXPECT_EQ(runtime().copy(m.get(), page, 3 * 4096), errc::success);
  runtime().unpin(page);
  EXPECT_FALSE(kinds::classify(page).has_value());
  EXPECT_EQ(read(m.get(), 3 * 4096), std::vector<unsigned char>(3 * 4096, 5));
}

TEST_F(device_test, CopiesBetweenEveryPairOfPlaces) {
  constexpr std::size_t most = (std::size_t{2} << 20) + 12345;
  const int last = runtime().devices() - 1;
  std::vector<unsigned char> pageable(most);
  std::vector<memory> made;
  std::vector<void*> places{pageable.data()};
  for (const residence where : kinds::all_residences)
    for (const int device : {0, last}) {
      if (!runtime().lacks(where).empty()) continue;
      made.push_back(allocate(where, most, device));
      places.push_back(made.back().get());
    }
  std::vector<unsigned char> elsewhere(most);
  unsigned seed = 0;
  for (void* from : places)
    for (void* to : places)
      for (const std::size_t bytes : {std::size_t{1}, std::size_t{4096}, most}) {
        const auto sent = pattern(bytes, ++seed);
        ASSERT_EQ(runtime().copy(from, sent.data(), bytes), errc::success);
        void* const sink = from == to ? elsewhere.data() : to;
        ASSERT_EQ(runtime().copy(sink, from, bytes), errc::success) << runtime().last_failure();
        ASSERT_EQ(read(sink, bytes), sent);
      }
}

TEST_F(device_test, ClearsWhatItIsTold) {
  constexpr std::size_t bytes = 10'000;
  const auto whole = pattern(bytes, 3);
  const auto m = allocate(residence::device, bytes);
  for (const auto& [first, n] :
       {std::pair<std::size_t, std::size_t>{0, bytes}, {0, 0}, {1, 7}, {4096, 5000}, {9999, 1}}) {
    ASSERT_EQ(runtime().copy(m.get(), whole.data(), bytes), errc::success);
    ASSERT_EQ(runtime().clear(m.get() + first, n), errc::success) << runtime().last_failure();
    auto expected = whole;
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(first), n, 0);
    EXPECT_EQ(read(m.get(), bytes), expected) << n << " bytes at " << first;
  }
}

TEST_F(device_test, CopiesNothing) {
  EXPECT_EQ(runtime().copy(nullptr, nullptr, 0), errc::success);
  EXPECT_EQ(runtime().begin({}), errc::success);
  const copy_piece nothing;
  EXPECT_EQ(runtime().begin({&nothing, 1}), errc::success);
  EXPECT_EQ(runtime().drain(), errc::success);
}

TEST_F(device_test, DrainCompletesWhatWasBegun) {
  constexpr std::size_t piece = 1000;
  const auto near = allocate(residence::device, 8 * piece, 0);
  const auto far = allocate(residence::device, 8 * piece, runtime().devices() - 1);
  const auto sent = pattern(8 * piece, 3);
  std::vector<unsigned char> back(8 * piece);
  std::vector<copy_piece> pieces;
  for (std::size_t i = 0; i < 8; ++i) {
    std::byte* const on = i % 2 == 0 ? near.get() : far.get();
    pieces.push_back({on + i * piece, sent.data() + i * piece, piece});
  }
  ASSERT_EQ(runtime().begin(pieces), errc::success);
  ASSERT_EQ(runtime().drain(), errc::success);
  pieces.clear();
  for (std::size_t i = 0; i < 8; ++i) {
    const std::byte* const on = i % 2 == 0 ? near.get() : far.get();
    pieces.push_back({back.data() + i * piece, on + i * piece, piece});
  }
  ASSERT_EQ(runtime().begin(pieces), errc::success);
  ASSERT_EQ(runtime().drain(), errc::success);
  EXPECT_EQ(back, sent);
}

// The test driver does what was begun as late as it may.
TEST_F(device_test, CopiesFromADeviceDoNotWaitForThoseToIt) {
  if (!emulated() || vendor_under_test() == kinds::vendor::level_zero)
    GTEST_SKIP() << "a real device may have done both, and Level Zero has a list for what is begun";
  const auto m = allocate(residence::device, 2 * 4096);
  const auto whole = pattern(4096, 5);
  const kinds::copy_piece to_it{m.get(), whole.data(), whole.size()};
  ASSERT_EQ(runtime().begin({&to_it, 1}), errc::success);
  EXPECT_EQ(read(m.get(), 4096), std::vector<unsigned char>(4096, 0));
  // In one direction they are in order.
  write_value(m.get() + 4096, 1);
  EXPECT_EQ(read(m.get(), 4096), whole);
  EXPECT_EQ(runtime().drain(), errc::success);
  EXPECT_EQ(read(m.get(), 4096), whole);
}

TEST_F(device_test, DrainAsksTheDriverNothingWhenNothingWasBegun) {
  if (!emulated()) GTEST_SKIP() << "reads the test driver's ledger";
  ASSERT_EQ(runtime().drain(), errc::success);
  const std::size_t before = driver_calls();
  ASSERT_EQ(runtime().drain(), errc::success);
  EXPECT_EQ(driver_calls(), before);
}

TEST_F(device_test, FourThreadsCopyAtOnce) {
  constexpr std::size_t bytes = 20000;
  constexpr int rounds = 50;
  const auto m = allocate(residence::device, 4 * bytes, runtime().devices() - 1);
  std::array<int, 4> wrong{};
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      std::byte* const mine = m.get() + t * bytes;
      std::vector<unsigned char> back(bytes);
      for (int round = 0; round < rounds; ++round) {
        const auto sent = pattern(bytes, 4 * static_cast<unsigned>(round) + t);
        const copy_piece there{mine, sent.data(), bytes};
        const bool begins = round % 2 == 0;
        const errc put =
            begins ? runtime().begin({&there, 1}) : runtime().copy(mine, sent.data(), bytes);
        if (put != errc::success || (begins && runtime().drain() != errc::success) ||
            runtime().copy(back.data(), mine, bytes) != errc::success || back != sent)
          ++wrong[t];
      }
    });
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(wrong, (std::array<int, 4>{}));
}

}  // namespace
}  // namespace oriel::testing
