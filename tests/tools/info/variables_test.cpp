// The table of variables against the sources and against the manual.
#include "session/bootstrap/known_variables.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Names that are read from the environment by the library and its programs, in the form in which
// this tree reads them.
std::set<std::string> names_read() {
  static const std::regex read(
      R"re(\b(?:getenv|variable|variable_list|variable_switch)\(\s*"([A-Z][A-Z0-9_]*)"\s*\))re");
  std::set<std::string> names;
  for (const auto& folder : fs::directory_iterator(ORIEL_SOURCE)) {
    const std::string name = folder.path().filename();
    if (!folder.is_directory() || name == "tests" || name == "bench" || name.starts_with("build") ||
        name.starts_with("."))
      continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      const auto e = entry.path().extension();
      if (e != ".cpp" && e != ".hpp" && e != ".h") continue;
      const std::string text = text_of(entry.path());
      for (std::sregex_iterator m(text.begin(), text.end(), read), end; m != end; ++m)
        names.insert((*m)[1]);
    }
  }
  return names;
}

TEST(Variables, OfTheTableAreThoseThatTheSourcesRead) {
  const std::set<std::string> read = names_read();
  ASSERT_GE(read.size(), 10u) << "the sources read variables in a form that this test does not see";
  std::set<std::string> told;
  for (const auto& v : oriel::sessions::known_variables())
    EXPECT_TRUE(told.emplace(v.name).second) << v.name << " is in the table twice";
  for (const std::string& name : read)
    EXPECT_TRUE(told.count(name) != 0)
        << name << " is read and missing in session/bootstrap/known_variables.cpp";
  for (const std::string& name : told)
    EXPECT_TRUE(read.count(name) != 0)
        << name << " is in session/bootstrap/known_variables.cpp and nothing reads it";
}

TEST(Variables, AreInTheManual) {
  const std::string manual = text_of(fs::path(ORIEL_SOURCE) / "docs/LAUNCHING.md");
  for (const auto& v : oriel::sessions::known_variables()) {
    const std::regex mention("`" + std::string(v.name) + "[=`]");
    if (v.name.starts_with("ORIEL_")) {
      EXPECT_TRUE(std::regex_search(manual, mention)) << v.name << " is missing in LAUNCHING.md";
    }
  }
}

TEST(Variables, ThatNothingReadsAreToldWithTheNearestName) {
  const char* const environment[] = {"ORIEL_TIMOUT=5",     "ORIEL_TIMEOUT=5", "ORIEL_TEST_KIND=x",
                                     "PATH=ORIEL_NOTHING", "ORIEL_STAT",      nullptr};
  const auto said = oriel::sessions::unknown_variables(environment);
  ASSERT_EQ(said.size(), 2u);
  EXPECT_NE(said[0].find("ORIEL_TIMOUT is set"), std::string::npos) << said[0];
  EXPECT_NE(said[0].find("the nearest is ORIEL_TIMEOUT "), std::string::npos) << said[0];
  EXPECT_NE(said[1].find("the nearest is ORIEL_STATS "), std::string::npos) << said[1];
}

}  // namespace
