#include "kinds/level_zero/foreign_descriptor.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "oriel/errc.hpp"

namespace oriel::kinds {
namespace {

int file_of(const char* text) {
  const int made = memfd_create("foreign descriptor", MFD_CLOEXEC);
  return write(made, text, 5) == 5 ? made : -1;
}

std::string text_of(int descriptor) {
  char text[6] = "";
  return pread(descriptor, text, 5, 0) == 5 ? text : "";
}

bool is_open(int descriptor) {
  return fcntl(descriptor, F_GETFD) >= 0;
}

// A child that has one file, and ends on request.
class other_process {
 public:
  other_process() {
    int said[2];
    int asked[2];
    if (pipe(said) != 0 || pipe(asked) != 0) return;
    process_ = fork();
    if (process_ == 0) {
      close(asked[1]);
      for (int taken = 0; taken < 3; ++taken) (void)dup(0);  // numbers that differ from ours
      const int file = file_of("there");
      char end = 0;
      if (write(said[1], &file, sizeof file) == sizeof file) (void)!read(asked[0], &end, 1);
      _exit(0);
    }
    close(said[1]);
    close(asked[0]);
    if (read(said[0], &file_, sizeof file_) != sizeof file_) file_ = -1;
    close(said[0]);
    tell_ = asked[1];
  }
  ~other_process() { end(); }
  void end() {
    if (tell_ >= 0) close(tell_);
    if (process_ > 0) waitpid(process_, nullptr, 0);
    tell_ = process_ = -1;
  }
  [[nodiscard]] pid_t process() const { return process_; }
  [[nodiscard]] int file() const { return file_; }

 private:
  pid_t process_ = -1;
  int file_ = -1;
  int tell_ = -1;
};

TEST(ForeignDescriptor, IsThatFileAndOutlivesItsProcess) {
  ASSERT_EQ(foreign_descriptor::unavailable(), "");
  other_process other;
  int number = -1;
  {
    const foreign_descriptor taken{other.process(), other.file()};
    number = taken.number();
    other.end();
    EXPECT_EQ(text_of(number), "there");
    EXPECT_NE(fcntl(number, F_GETFD) & FD_CLOEXEC, 0)
        << "a program that is started must not get it";
  }
  EXPECT_FALSE(is_open(number));
}

// A driver may close what it is given, and the number may be another file's by then.
TEST(ForeignDescriptor, ClosesNoOtherFile) {
  other_process other;
  std::optional<foreign_descriptor> taken{std::in_place, other.process(), other.file()};
  const int number = taken->number();
  close(number);
  const int mine = file_of("mine!");
  ASSERT_EQ(dup3(mine, number, O_CLOEXEC), number);
  taken.reset();
  EXPECT_EQ(text_of(number), "mine!");
  close(number);
  close(mine);
}

TEST(ForeignDescriptor, IsClosedOnceWhenMoved) {
  other_process other;
  std::optional<foreign_descriptor> first{std::in_place, other.process(), other.file()};
  const foreign_descriptor second{std::move(*first)};
  first.reset();
  EXPECT_EQ(text_of(second.number()), "there");
}

TEST(ForeignDescriptor, SaysWhyItCannotBeTaken) {
  other_process other;
  const auto what = [](pid_t process, int descriptor) -> std::string {
    try {
      const foreign_descriptor taken{process, descriptor};
    } catch (const error& refused) {
      EXPECT_EQ(refused.code(), errc::rma_shared);
      return refused.what();
    }
    return "taken";
  };
  EXPECT_NE(what(other.process(), 9999).find("pidfd_getfd: Bad file descriptor"),
            std::string::npos);
  const pid_t gone = other.process();
  other.end();
  EXPECT_NE(what(gone, 0).find("pidfd_open: No such process"), std::string::npos);
}

}  // namespace
}  // namespace oriel::kinds
