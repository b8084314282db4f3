#include "session/bootstrap/output_files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/socket_fd.hpp"

namespace oriel::sessions {
namespace {

struct output_variable {
  const char* name;
  const char* what;
  // Returns errno, or 0.
  int (*attempt)(const std::string& path);
};

// To open a pipe is seen by its reader.
int try_file(const std::string& path) {
  struct stat about {};
  if (stat(path.c_str(), &about) == 0 && S_ISFIFO(about.st_mode)) return 0;
  const socket_fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  return file.valid() ? 0 : errno;
}

// Which is made where it is not there.
int try_folder(const std::string& path) {
  mkdir(path.c_str(), 0777);
  std::string inside = path + "/.oriel-XXXXXX";
  const socket_fd file(mkostemp(inside.data(), O_CLOEXEC));
  if (!file.valid()) return errno;
  unlink(inside.c_str());
  return 0;
}

constexpr std::array<output_variable, outputs> attempted{
    {{"ORIEL_STATS", "statistics", try_file}, {"ORIEL_TRACE", "trace", try_folder}}};

const output_variable& variable_of(std::size_t i) noexcept {
  return attempted[i];
}

}  // namespace

output_failures try_outputs() noexcept {
  output_failures failed{};
  for (std::size_t i = 0; i < outputs; ++i) try {
      const auto path = variable(variable_of(i).name);
      if (path && !path->empty()) failed[i] = variable_of(i).attempt(*path);
    } catch (const std::bad_alloc&) {
      failed[i] = ENOMEM;
    }
  return failed;
}

std::string sentence_of(output o, int rank, std::string_view file, std::string_view why) {
  const output_variable& v = variable_of(static_cast<std::size_t>(o));
  return "rank " + std::to_string(rank) + " cannot write its " + v.what + " to '" +
         std::string(file) + "' (" + v.name + "): " + std::string(why);
}

std::vector<std::string> sentences_of(std::span<const output_failures> of_ranks, int me) {
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < outputs; ++i) {
    int first = -1, more = 0;
    for (std::size_t r = 0; r < of_ranks.size(); ++r)
      if (of_ranks[r][i] != 0) first < 0 ? first = static_cast<int>(r) : ++more;
    if (first < 0 || first != me) continue;
    std::string text =
        sentence_of(static_cast<output>(i), me, variable(variable_of(i).name).value_or(""),
                    std::strerror(of_ranks[static_cast<std::size_t>(me)][i]));
    if (more > 0) text += ", nor can " + std::to_string(more) + " more";
    sentences.push_back(std::move(text));
  }
  return sentences;
}

}  // namespace oriel::sessions
