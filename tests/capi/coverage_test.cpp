// Every function that oriel.h declares is shown by the shared library and called by the C tests.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& file) {
  std::ostringstream all;
  all << std::ifstream(file).rdbuf();
  return all.str();
}

// Everything that looks like a call or a declaration: "oriel_window_put".
std::set<std::string> names_before_parentheses(const std::string& text) {
  static const std::regex name(R"((oriel_\w+)\()");
  std::set<std::string> found;
  for (std::sregex_iterator i(text.begin(), text.end(), name), end; i != end; ++i)
    found.insert((*i)[1]);
  return found;
}

std::set<std::string> names_in(const fs::path& folder, const std::string& extension) {
  static const std::regex comment(R"(//[^\n]*)");
  std::set<std::string> found;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.path().extension() == extension)
      found.merge(names_before_parentheses(std::regex_replace(read(entry.path()), comment, "")));
  return found;
}

const fs::path source = ORIEL_SOURCE;

std::set<std::string> declared() {
  return names_in(source / "include/oriel/c", ".h");
}

TEST(CFace, DeclaresWhatItShould) {
  EXPECT_GE(declared().size(), 110u);
  EXPECT_TRUE(declared().contains("oriel_window_get_accumulate_typed"));
  EXPECT_FALSE(declared().contains("oriel_window_failure_that_is_not_there"));
}

TEST(CFace, EveryFunctionIsCalledByTheTests) {
  const std::set<std::string> called = names_in(source / "tests/capi", ".c");
  for (const std::string& f : declared())
    EXPECT_TRUE(called.contains(f)) << f << " is called by no test of tests/capi";
}

TEST(CFace, EveryFunctionIsInTheSharedLibraryAndNoCppIs) {
  void* const library = dlopen(ORIEL_C_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  for (const std::string& f : declared()) EXPECT_NE(dlsym(library, f.c_str()), nullptr) << f;
  EXPECT_EQ(dlsym(library, "_ZN5oriel10any_window4freeEv"), nullptr);
  dlclose(library);
}

}  // namespace
