// No header includes itself by way of others.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

class include_graph {
 public:
  explicit include_graph(const fs::path& root) {
    static const std::regex include(R"re(^\s*#\s*include\s*["<]([^">]+)[">])re");
    for (const char* const floor : {"include", "kinds", "sync", "session", "atomics", "transport",
                                    "win", "capi", "mpi", "bench", "tools"}) {
      if (!fs::exists(root / floor)) continue;
      const fs::path named_from = floor == std::string("include") ? root / floor : root;
      for (const auto& entry : fs::recursive_directory_iterator(root / floor)) {
        if (!entry.is_regular_file() || !is_header(entry.path())) continue;
        std::vector<std::string>& to = includes_[fs::relative(entry.path(), named_from).string()];
        std::ifstream file(entry.path());
        std::smatch m;
        for (std::string line; std::getline(file, line);)
          if (std::regex_search(line, m, include)) to.push_back(m[1]);
      }
    }
  }

  // A header that reaches itself; empty when none does.
  std::string cycle() {
    for (const auto& [header, to] : includes_)
      if (std::string found = follow(header); !found.empty()) return found;
    return "";
  }
  [[nodiscard]] std::size_t headers() const noexcept { return includes_.size(); }

 private:
  static bool is_header(const fs::path& file) {
    const fs::path kind = file.extension();
    return kind == ".hpp" || kind == ".h" || kind == ".cuh";
  }
  // The first that is found on the way from `header`; nothing where there is none.
  std::string follow(const std::string& header) {
    if (open_.contains(header)) return header;
    if (!done_.insert(header).second) return "";
    open_.insert(header);
    for (const std::string& next : includes_[header])
      if (includes_.contains(next))
        if (std::string found = follow(next); !found.empty()) return found;
    open_.erase(header);
    return "";
  }

  std::map<std::string, std::vector<std::string>> includes_;
  std::set<std::string> open_, done_;
};

TEST(Includes, HaveNoCycle) {
  include_graph all(ORIEL_SOURCE);
  EXPECT_GT(all.headers(), 100u);
  EXPECT_EQ(all.cycle(), "");
}

TEST(Includes, AreNoticedWhenTheyHaveOne) {
  include_graph broken(fs::path(ORIEL_SOURCE) / "tests/face/violations");
  EXPECT_EQ(broken.cycle(), "win/first.hpp");
}

}  // namespace
