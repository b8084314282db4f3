// The input files, and the part of them that one rank reads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "oriel/team.hpp"

namespace wordcount {

// A regular file in memory, mapped. Throws std::runtime_error with the file's name, what is wrong
// with it and what would be valid.
class text_file {
 public:
  explicit text_file(const std::filesystem::path&);
  text_file(text_file&&) noexcept;
  text_file& operator=(text_file&&) = delete;
  ~text_file();
  [[nodiscard]] std::string_view text() const noexcept { return text_; }

 private:
  std::string_view text_;
};

// Bytes [begin, end) of one file. A token belongs to the part in which it begins.
struct part {
  std::string_view text;  // of the whole file
  std::size_t begin = 0;
  std::size_t end = 0;
};

// All files of a run.
class input {
 public:
  explicit input(const std::vector<std::filesystem::path>&);
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }
  // What rank `r` of `ranks` reads: equal shares of all bytes, whatever file they are in.
  [[nodiscard]] std::vector<part> share(int r, int ranks) const;

 private:
  std::vector<text_file> files_;
  std::uint64_t bytes_ = 0;
};

// Collective. Returns the files on every rank, or nothing on every rank when one of them cannot
// read them: the lowest such rank has then printed why to standard error, as `program`. Without
// `paths`: the licences that Debian carries.
std::optional<input> open_input(const oriel::team&, const char* program,
                                const std::vector<std::filesystem::path>& paths);

}  // namespace wordcount
