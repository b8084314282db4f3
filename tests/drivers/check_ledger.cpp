// oriel-check-ledger [--wants CALL]… -- COMMAND…: runs a test with test drivers and judges the
// ledgers of all its processes once it has ended, leaks at the end of each process included. Fails
// when the command fails, when any line is a FAULT, or when a wanted call was never made.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "tests/drivers/ledger_reader.hpp"

namespace {

int run(char** command) {
  const pid_t child = fork();
  if (child == 0) {
    execvp(command[0], command);
    std::perror(command[0]);
    _exit(127);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child) return 1;
  if (WIFSIGNALED(status)) {
    std::fprintf(stderr, "%s was ended by signal %d\n", command[0], WTERMSIG(status));
    return 1;
  }
  return WEXITSTATUS(status);
}

int judge(const std::vector<std::string>& lines, const std::vector<std::string>& wanted) {
  int failures = 0;
  for (const auto& line : oriel::test_driver::faults(lines)) {
    std::fprintf(stderr, "%s\n", line.c_str());
    ++failures;
  }
  for (const auto& call : wanted)
    if (oriel::test_driver::calls(lines, call) == 0) {
      std::fprintf(stderr, "%s was never called\n", call.c_str());
      ++failures;
    }
  return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> wanted;
  int at = 1;
  for (; at + 1 < argc && std::string_view(argv[at]) == "--wants"; at += 2)
    wanted.emplace_back(argv[at + 1]);
  if (at + 1 >= argc || std::string_view(argv[at]) != "--") {
    std::fprintf(stderr, "usage: %s [--wants CALL]... -- COMMAND...\n", argv[0]);
    return 2;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "oriel-ledger-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return 2;
  const std::string prefix = folder + "/ledger";
  setenv("ORIEL_TEST_LEDGER", prefix.c_str(), 1);
  const int command = run(argv + at + 1);
  const int verdict = judge(oriel::test_driver::read_ledgers(prefix), wanted);
  std::filesystem::remove_all(folder);
  return command != 0 ? command : verdict;
}
