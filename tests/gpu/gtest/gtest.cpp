// Keeps the tests, runs those that --gtest_filter or GTEST_FILTER names, and reports each. Of the
// ranks of a job, rank 0 alone reports what passes.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

namespace testing {
namespace {

struct entry {
  std::string name;
  factory make;
};
std::vector<entry>& tests() {
  static std::vector<entry> all;
  return all;
}
std::string& filter() {
  static std::string patterns = "*";
  return patterns;
}
const char* rank() {
  return std::getenv("ORIEL_RANK");
}
bool tells() {
  return rank() == nullptr || std::string_view(rank()) == "0";
}

// `*` stands for any text.
bool matches(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return name.empty();
  if (pattern[0] != '*')
    return !name.empty() && name[0] == pattern[0] && matches(pattern.substr(1), name.substr(1));
  for (std::size_t skipped = 0; skipped <= name.size(); ++skipped)
    if (matches(pattern.substr(1), name.substr(skipped))) return true;
  return false;
}
bool matches_any(std::string_view patterns, std::string_view name) {
  while (!patterns.empty()) {
    const std::size_t end = patterns.find(':');
    if (matches(patterns.substr(0, end), name)) return true;
    patterns = end == std::string_view::npos ? "" : patterns.substr(end + 1);
  }
  return false;
}
// "wanted:wanted-unwanted:unwanted"
bool chosen(std::string_view name) {
  const std::string_view patterns = filter();
  const std::size_t but = patterns.find('-');
  const std::string_view wanted = but == 0 ? "*" : patterns.substr(0, but);
  const std::string_view unwanted =
      but == std::string_view::npos ? std::string_view() : patterns.substr(but + 1);
  return matches_any(wanted, name) && !matches_any(unwanted, name);
}

void run_one(const entry& e) {
  state().failed = state().fatal = state().skipped = false;
  try {
    const std::unique_ptr<Test> test = e.make();
    test->SetUp();
    if (!state().fatal && !state().skipped) test->TestBody();
    test->TearDown();
  } catch (const std::exception& thrown) {
    state().failed = true;
    report(e.name.c_str(), 0, std::string("the test throws: ") + thrown.what());
  }
}

}  // namespace

bool add_test(std::string name, factory make) {
  tests().push_back({std::move(name), std::move(make)});
  return true;
}

void report(const char* file, int line, const std::string& text) {
  test_state& now = state();
  const std::lock_guard hold(now.mutex);
  const std::string who = rank() == nullptr ? "" : std::string("rank ") + rank() + ": ";
  std::fprintf(stderr, "%s%s:%d: %s\n", who.c_str(), file, line, text.c_str());
  for (const std::string& trace : now.where) std::fprintf(stderr, "  in %s\n", trace.c_str());
}

void InitGoogleTest(int* argc, char** argv) {
  if (const char* patterns = std::getenv("GTEST_FILTER")) filter() = patterns;
  constexpr std::string_view option = "--gtest_filter=";
  for (int i = 1; i < *argc; ++i)
    if (std::string_view(argv[i]).starts_with(option)) filter() = argv[i] + option.size();
}

int run_all() {
  int ran = 0, failed = 0, skipped = 0;
  for (const entry& e : tests()) {
    if (!chosen(e.name)) continue;
    run_one(e);
    ++ran;
    failed += state().failed ? 1 : 0;
    skipped += state().skipped ? 1 : 0;
    const char* const end = state().failed ? "FAILED" : state().skipped ? "skipped" : "ok";
    if (tells() || state().failed) std::printf("%-8s%s\n", end, e.name.c_str());
    std::fflush(stdout);
  }
  if (tells()) std::printf("%d run, %d skipped, %d failed\n", ran, skipped, failed);
  if (ran == 0) std::fprintf(stderr, "no test is named '%s'\n", filter().c_str());
  if (ran != 0 && skipped == ran) return 77;  // CTest then says so
  return failed == 0 && ran != 0 ? 0 : 1;
}

}  // namespace testing
