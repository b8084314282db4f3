// The file that ranks of a node share: nothing else is taken for it.
#include "session/node/memory_file.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <string>

#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using sessions::memory_file;

constexpr std::size_t bytes = 1 << 20;

TEST(MemoryFile, IsKnownByWhatItsMakerHasTold) {
  const memory_file made = memory_file::make(bytes);
  const memory_file same = memory_file::open(getpid(), made.known());
  ASSERT_EQ(pwrite(made.descriptor(), "x", 1, 5000), 1);
  char read = 0;
  ASSERT_EQ(pread(same.descriptor(), &read, 1, 5000), 1);
  EXPECT_EQ(read, 'x');
  EXPECT_EQ(same.bytes(), bytes);
}

TEST(MemoryFile, KeepsItsSize) {
  const memory_file made = memory_file::make(bytes);
  EXPECT_NE(ftruncate(made.descriptor(), bytes / 2), 0);
  EXPECT_NE(ftruncate(made.descriptor(), bytes * 2), 0);
  // Pages may still be given back.
  EXPECT_EQ(fallocate(made.descriptor(), FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 4096, 4096),
            0);
}

// What stands at the maker's descriptor when another opens it, and what is said of it.
struct impostor {
  const char* what;
  const char* said;
  std::function<int(const memory_file&)> make;  // its descriptor
};

int sealed_file(std::size_t size, int seals, const memory_file::token& token) {
  const int fd = memfd_create("other", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  EXPECT_EQ(ftruncate(fd, static_cast<off_t>(size)), 0);
  EXPECT_EQ(pwrite(fd, token.data(), token.size(), 0), static_cast<ssize_t>(token.size()));
  EXPECT_EQ(fcntl(fd, F_ADD_SEALS, seals), 0);
  return fd;
}

TEST(MemoryFile, IsNotTakenForAnother) {
  constexpr int all = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
  const impostor impostors[] = {
      {"a pipe", "it is no file in memory",
       [](const memory_file&) {
         int ends[2];
         EXPECT_EQ(pipe(ends), 0);
         close(ends[0]);
         return ends[1];
       }},
      {"a device", "it is no file in memory",
       [](const memory_file&) { return open("/dev/zero", O_RDWR); }},
      {"a directory", "it is no file in memory",
       [](const memory_file&) { return open("/tmp", O_RDONLY); }},
      {"a file of the system's", "it is no file in memory",
       [](const memory_file&) { return open("/proc/self/status", O_RDONLY); }},
      {"an unsealed one", "it is not sealed",
       [](const memory_file& m) { return sealed_file(bytes, 0, m.known().begins_with); }},
      {"one that may shrink", "it is not sealed",
       [](const memory_file& m) { return sealed_file(bytes, F_SEAL_GROW, m.known().begins_with); }},
      {"a shorter one", "bytes, not",
       [](const memory_file& m) { return sealed_file(bytes / 2, all, m.known().begins_with); }},
      {"another job's", "this job's token",
       [](const memory_file&) { return sealed_file(bytes, all, memory_file::token{}); }},
      {"nothing", "No such file", [](const memory_file&) { return 1000; }}};
  for (const impostor& i : impostors) {
    const memory_file made = memory_file::make(bytes);
    memory_file::identity known = made.known();
    known.descriptor = i.make(made);
    ASSERT_GE(known.descriptor, 0) << i.what;
    const thrown t = catch_error([&] { static_cast<void>(memory_file::open(getpid(), known)); });
    EXPECT_EQ(t.code, errc::rma_shared) << i.what;
    EXPECT_NE(t.text.find(i.said), std::string::npos) << i.what << ": " << t.text;
    close(known.descriptor);
  }
  const memory_file whole = memory_file::make(bytes);
  EXPECT_NO_THROW(static_cast<void>(memory_file::open(getpid(), whole.known())));
}

TEST(MemoryFile, OfAnotherUserIsRefused) {
  if (geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  const memory_file made = memory_file::make(bytes);
  const int theirs =
      sealed_file(bytes, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL, made.known().begins_with);
  ASSERT_EQ(fchown(theirs, 65534, 65534), 0);
  memory_file::identity known = made.known();
  known.descriptor = theirs;
  const thrown t = catch_error([&] { static_cast<void>(memory_file::open(getpid(), known)); });
  EXPECT_EQ(t.code, errc::rma_shared);
  EXPECT_NE(t.text.find("user 65534's"), std::string::npos) << t.text;
  close(theirs);
}

// In a child, since a signal would end it.
TEST(MemoryFile, ThatTheLimitOnFilesForbidsIsAnError) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit little{bytes / 2, bytes / 2};
    setrlimit(RLIMIT_FSIZE, &little);
    const thrown t = catch_error([] { static_cast<void>(memory_file::make(bytes)); });
    _exit(t.code == errc::no_mem && t.text.find("RLIMIT_FSIZE") != std::string::npos ? 0 : 1);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  EXPECT_EQ(how, 0);
}

}  // namespace
}  // namespace oriel::testing
