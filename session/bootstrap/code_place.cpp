#include "session/bootstrap/code_place.hpp"

#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

namespace oriel::sessions {
namespace {

constexpr const char* own_program = "/proc/self/exe";

// Where the dynamic linker has put the segments of one file.
struct search {
  std::uintptr_t address;
  code_place found;
};

int look_at(dl_phdr_info* file, std::size_t, void* kept) noexcept {
  auto& looked = *static_cast<search*>(kept);
  for (int i = 0; i < file->dlpi_phnum; ++i) {
    const auto& part = file->dlpi_phdr[i];
    const std::uintptr_t start = file->dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || looked.address - start >= part.p_memsz) continue;
    // The linker names every file but the program.
    const bool named = file->dlpi_name != nullptr && *file->dlpi_name != '\0';
    looked.found.file = named ? file->dlpi_name : own_program;
    looked.found.offset = looked.address - file->dlpi_addr;
    return 1;
  }
  return 0;
}

// A file of this process whose name ends so.
struct naming {
  std::string_view end;
  std::string whole;
};
int compare_names(dl_phdr_info* file, std::size_t, void* kept) {
  auto& looked = *static_cast<naming*>(kept);
  const std::string_view name = file->dlpi_name != nullptr ? file->dlpi_name : "";
  if (name.empty() || name.size() < looked.end.size() ||
      name.substr(name.size() - looked.end.size()) != looked.end)
    return 0;
  looked.whole = name;
  return 1;
}

std::string path_of(std::string_view file) {
  if (file == own_program) {
    std::array<char, 4096> path{};
    const auto n = readlink(own_program, path.data(), path.size() - 1);
    return n > 0 ? std::string(path.data(), static_cast<std::size_t>(n)) : own_program;
  }
  naming looked{file, std::string(file)};
  dl_iterate_phdr(compare_names, &looked);
  return looked.whole;
}

// The variables of this process, but for what loads libraries into programs: this one's face.
std::vector<char*> plain_environment() {
  std::vector<char*> kept;
  for (char** v = environ; *v != nullptr; ++v)
    if (std::strncmp(*v, "LD_PRELOAD=", std::strlen("LD_PRELOAD=")) != 0) kept.push_back(*v);
  kept.push_back(nullptr);
  return kept;
}

// What a program prints within some seconds; it is ended then.
std::string output_of(std::vector<std::string> words) {
  constexpr int most_ms = 5000;
  std::vector<char*> arguments, variables = plain_environment();
  for (std::string& w : words) arguments.push_back(w.data());
  arguments.push_back(nullptr);
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed =
      posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), variables.data());
  posix_spawn_file_actions_destroy(&files);
  close(ends[1]);
  std::string text;
  pollfd readable{ends[0], POLLIN, 0};
  std::array<char, 1024> part{};
  while (failed == 0 && poll(&readable, 1, most_ms) > 0) {
    const auto n = read(ends[0], part.data(), part.size());
    if (n <= 0) break;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
  close(ends[0]);
  if (failed != 0) return {};
  kill(child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

}  // namespace

code_place find_code(const void* code) noexcept {
  // The call itself is before the place to which it returns.
  search looked{reinterpret_cast<std::uintptr_t>(code) - 1, {}};
  dl_iterate_phdr(look_at, &looked);
  return looked.found;
}

std::string in_words(const code_place& place) {
  if (place.file.empty()) return "code of no file";
  std::array<char, 32> offset{};
  std::snprintf(offset.data(), offset.size(), "0x%" PRIx64, place.offset);
  const std::string path = path_of(place.file);
  std::string plain = path.substr(path.rfind('/') + 1) + "+" + offset.data();
  const std::string told = output_of({"addr2line", "-f", "-C", "-e", path, offset.data()});
  const auto function_ends = told.find('\n');
  if (function_ends == std::string::npos) return plain;
  const std::string function = told.substr(0, function_ends);
  // "put.c:70 (discriminator 2)": what follows a blank says nothing about the line.
  const std::string line = told.substr(
      function_ends + 1, told.find_first_of(" \n", function_ends + 1) - function_ends - 1);
  if (function.rfind("??", 0) == 0) return plain;
  if (line.find('?') != std::string::npos) return plain + " in " + function;
  return line + " in " + function;
}

std::string in_words(call_site at) {
  return at.line == 0 ? at.file : std::string(at.file) + ":" + std::to_string(at.line);
}

}  // namespace oriel::sessions
