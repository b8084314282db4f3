// A folder for temporary files that goes with what it holds.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <string>

namespace oriel::testing {

class scoped_folder {
 public:
  scoped_folder() {
    std::string name = std::filesystem::temp_directory_path() / "oriel-test-XXXXXX";
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~scoped_folder() { std::filesystem::remove_all(path_); }
  scoped_folder(const scoped_folder&) = delete;
  scoped_folder& operator=(const scoped_folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const {
    return path_ / name;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace oriel::testing
