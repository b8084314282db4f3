// The test drivers' own rules: what a library under test does wrong must show, or the tests that
// rely on it could not fail.
#include "tests/drivers/device_heap.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/drivers/kernel.hpp"
#include "tests/drivers/ledger.hpp"
#include "tests/drivers/ledger_reader.hpp"
#include "tests/drivers/switches.hpp"
#include "tests/drivers/work_queue.hpp"
#include "tests/support/scoped_variable.hpp"

namespace oriel::test_driver {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

class device_heap_test : public ::testing::Test {
 protected:
  static device_heap& heap() { return device_heap::instance(); }

  static std::byte* allocate(residence where, std::uint64_t bytes) {
    void* base = nullptr;
    EXPECT_EQ(heap().allocate(where, 0, bytes, &base), heap_status::ok);
    return static_cast<std::byte*>(base);
  }
  // The faults since the last call; the ledger is the one that ctest's wrapper names, or our own.
  static std::string new_faults() {
    static std::size_t seen = 0;
    const auto all = faults(read_ledgers(std::getenv("ORIEL_TEST_LEDGER")));
    std::string found;
    for (; seen < all.size(); ++seen) found += all[seen] + "\n";
    return found;
  }
  static bool says(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  }
};

TEST_F(device_heap_test, TheProcessCannotTouchDeviceMemory) {
  std::byte* const p = allocate(residence::device, 100);
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(p) = 1, "");
  std::byte* const alias = heap().reach(p, 100, "test");
  ASSERT_NE(alias, nullptr);
  alias[99] = std::byte{7};
  EXPECT_EQ(heap().free(p), heap_status::ok);
  EXPECT_DEATH(*reinterpret_cast<volatile char*>(p) = 1, "");
  EXPECT_EQ(new_faults(), "");
}

TEST_F(device_heap_test, MemoryComesBackAtTheSameAddress) {
  std::byte* const first = allocate(residence::device, 100);
  const auto before = heap().find(first);
  EXPECT_EQ(heap().free(first), heap_status::ok);
  std::byte* const second = allocate(residence::managed, 100);
  EXPECT_EQ(second, first);
  const auto after = heap().find(second);
  ASSERT_TRUE(before.has_value() && after.has_value());
  EXPECT_NE(before->id, after->id);
  EXPECT_EQ(heap().free(second), heap_status::ok);
  EXPECT_EQ(new_faults(), "");
}

TEST_F(device_heap_test, FaultsOfFreeing) {
  std::byte* const p = allocate(residence::device, 100);
  EXPECT_EQ(heap().free(p + 1), heap_status::unknown);
  EXPECT_TRUE(says(new_faults(), "free of unknown memory"));
  EXPECT_EQ(heap().free(p), heap_status::ok);
  EXPECT_EQ(heap().free(p), heap_status::unknown);
  EXPECT_TRUE(says(new_faults(), "freed twice"));
  EXPECT_EQ(heap().close(p), heap_status::unknown);
  EXPECT_TRUE(says(new_faults(), "close of memory that is not open"));
}

TEST_F(device_heap_test, FaultsOfCopying) {
  char here[200] = {};
  std::byte* const p = allocate(residence::device, 100);
  EXPECT_TRUE(copy_bytes(p, here, 100));
  EXPECT_FALSE(copy_bytes(p + 1, here, 100));
  EXPECT_TRUE(says(new_faults(), "out of bounds"));
  EXPECT_EQ(heap().free(p), heap_status::ok);
  EXPECT_FALSE(copy_bytes(here, p, 100));
  EXPECT_TRUE(says(new_faults(), "use of freed, closed or unknown memory"));
}

TEST_F(device_heap_test, FaultsOfKernels) {
  std::uint64_t here = 1;
  std::byte* const p = allocate(residence::device, 100);
  kinds::atomic_task task;
  task.op = atomic_op::sum;
  task.type = primitive::uint64;
  task.width = 8;
  task.n = 1;
  task.location = p;
  task.operands = &here;
  EXPECT_FALSE(run_atomic_kernel(0, task));
  EXPECT_TRUE(says(new_faults(), "a kernel reaches pageable memory"));
  ASSERT_EQ(heap().pin(&here, sizeof here), heap_status::ok);
  EXPECT_TRUE(run_atomic_kernel(0, task));
  task.location = p + 4;
  EXPECT_FALSE(run_atomic_kernel(0, task));
  EXPECT_TRUE(says(new_faults(), "misaligned"));
  task.location = p;
  task.type = primitive::complex32;
  EXPECT_FALSE(run_atomic_kernel(0, task));
  EXPECT_TRUE(says(new_faults(), "a task that none does"));
  EXPECT_EQ(heap().unpin(&here), heap_status::ok);
  EXPECT_EQ(heap().unpin(&here), heap_status::unknown);
  EXPECT_TRUE(says(new_faults(), "unpinned without being pinned"));
  EXPECT_EQ(heap().free(p), heap_status::ok);
}

TEST_F(device_heap_test, FaultsOfLeaking) {
  std::byte* const p = allocate(residence::device, 100);
  heap().report_leaks();
  EXPECT_TRUE(says(new_faults(), "memory not freed"));
  EXPECT_EQ(heap().free(p), heap_status::ok);
  heap().report_leaks();
  EXPECT_EQ(new_faults(), "");
}

// The child of a fork stands for another process: it has another process id.
TEST_F(device_heap_test, AnotherProcessHasItOpen) {
  std::byte* const p = allocate(residence::device, 3 * mebibyte);
  const heap_handle handle = device_heap::export_handle(*heap().find(p));
  void* mine = nullptr;
  EXPECT_EQ(heap().open(handle, 0, &mine), heap_status::own_handle);
  int opened[2], end[2];
  ASSERT_EQ(pipe(opened) | pipe(end), 0);
  const pid_t child = fork();
  if (child == 0) {
    void* base = nullptr;
    bool good = heap().open(handle, 1, &base) == heap_status::ok;
    void* again = nullptr;
    good = good && heap().open(handle, 1, &again) == heap_status::already_opened;
    good = good && fill_bytes(base, 9, 3 * mebibyte);
    char go = good ? 'y' : 'n';
    if (write(opened[1], &go, 1) != 1 || read(end[0], &go, 1) != 1) _exit(1);
    _exit(heap().close(base) == heap_status::ok ? 0 : 1);
  }
  char word = 0;
  ASSERT_EQ(read(opened[0], &word, 1), 1);
  EXPECT_EQ(word, 'y');
  EXPECT_EQ(*heap().reach(p + 3 * mebibyte - 1, 1, "test"), std::byte{9});
  EXPECT_EQ(heap().free(p), heap_status::ok);
  EXPECT_TRUE(says(new_faults(), "free of memory that another process has open"));
  ASSERT_EQ(write(end[1], &word, 1), 1);
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  for (const int fd : {opened[0], opened[1], end[0], end[1]}) close(fd);
}

TEST_F(device_heap_test, MemoryIsLimited) {
  const testing::scoped_variable limit("ORIEL_TEST_MEMORY", "1000");
  void* base = nullptr;
  EXPECT_EQ(heap().allocate(residence::device, 0, 1001, &base), heap_status::out_of_memory);
  std::byte* const p = allocate(residence::device, 600);
  EXPECT_EQ(heap().allocate(residence::device, 0, 600, &base), heap_status::out_of_memory);
  EXPECT_EQ(heap().allocate(residence::device, 1, 600, &base), heap_status::ok);
  EXPECT_EQ(heap().free(base), heap_status::ok);
  EXPECT_EQ(heap().free(p), heap_status::ok);
}

TEST(Switches, NameAbilitiesAndCalls) {
  const testing::scoped_variable refuse("ORIEL_TEST_REFUSE", "ipc,peer");
  EXPECT_TRUE(refuses("ipc"));
  EXPECT_TRUE(refuses("peer"));
  EXPECT_FALSE(refuses("managed"));
  EXPECT_FALSE(refuses("pee"));
  const testing::scoped_variable fail("ORIEL_TEST_FAIL", "some_call:2");
  EXPECT_FALSE(must_fail("some_call"));
  EXPECT_FALSE(must_fail("another"));
  EXPECT_TRUE(must_fail("some_call"));
  EXPECT_FALSE(must_fail("some_call"));
}

TEST(WorkQueue, DoesNothingUntilSomebodyWaits) {
  work_queue queue;
  int done = 0;
  queue.begin([&] { return ++done == 1; });
  queue.begin([&] { return ++done == 1; });
  EXPECT_EQ(done, 0);
  EXPECT_FALSE(queue.wait());  // the second says that it failed
  EXPECT_EQ(done, 2);
  EXPECT_TRUE(queue.wait());
}

}  // namespace
}  // namespace oriel::test_driver

// The ledger is this process's own: its faults are wanted.
int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::string folder = (std::filesystem::temp_directory_path() / "oriel-heap-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 1;
  setenv("ORIEL_TEST_LEDGER", (folder + "/ledger").c_str(), 1);
  const int failed = RUN_ALL_TESTS();
  std::filesystem::remove_all(folder);
  return failed;
}
