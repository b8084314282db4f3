#include "tools/run/added_statistics.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "oriel/errc.hpp"
#include "tools/info/statistics_table.hpp"

namespace oriel::tools {
namespace {

// 0 for what is no file that can be read again: a pipe, a device.
std::uintmax_t bytes_of(const std::string& file) {
  std::error_code failure;
  if (!std::filesystem::is_regular_file(file, failure)) return 0;
  const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
  return failure ? 0 : bytes;
}

}  // namespace

added_statistics::added_statistics() {
  if (const char* const named = std::getenv("ORIEL_STATS")) file_ = named;
  before_ = bytes_of(file_);
}

void added_statistics::show() const {
  if (bytes_of(file_) <= before_) return;
  try {
    fmt::print(stderr, "{}", statistics_table(file_, before_));
  } catch (const error& e) {
    fmt::print(stderr, "oriel-run: {}\n", e.what());
  }
}

}  // namespace oriel::tools
