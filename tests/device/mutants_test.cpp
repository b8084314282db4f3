// Every step of device code that orders memory or updates it has a mutant in
// tests/gpu/processors.cmake which must fail, or stands below with the reason why it has none. A
// step is a line of a source that calls one of the primitives; a mutant names it by a part of the
// line.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;
const fs::path source = ORIEL_SOURCE;

struct mutant {
  std::string kind, text;
};
struct step {
  std::string kind, line, where;
};

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// mutant(<program> <name> <mix> "kind:text" …)
std::vector<mutant> mutants() {
  std::string all;
  for (const std::string& line : lines_of(source / "tests/gpu/processors.cmake"))
    all += line + '\n';
  const std::regex call(R"re(\nmutant\([^"]*"([a-z]+):([^"]*)")re");
  std::vector<mutant> found;
  for (std::sregex_iterator i(all.begin(), all.end(), call), end; i != end; ++i)
    found.push_back({(*i)[1], (*i)[2]});
  return found;
}

// The files of device code, but that of the primitives themselves.
std::vector<fs::path> device_files() {
  std::vector<fs::path> files{source / "include/oriel/hash_map/table_part.hpp"};
  for (const char* folder : {"include/oriel", "kinds"})
    for (const auto& entry : fs::recursive_directory_iterator(source / folder))
      if (entry.path().extension() == ".cuh" && entry.path().filename() != "device_word.cuh")
        files.push_back(entry.path());
  return files;
}

struct primitive {
  const char* kind;
  std::regex call;
};
const std::vector<primitive>& primitives() {
  static const std::vector<primitive> all{
      {"fence", std::regex(R"((^|[^\w.])fence\(\)|words_\.order\(|__threadfence)")},
      {"acquire", std::regex(R"(\bload_acquire\(|words_\.load\()")},
      {"release", std::regex(R"(\bstore_release\(|words_\.publish\()")},
      {"swap", std::regex(R"(\bcompare_exchange\(|words_\.compare_swap\(|\batomicCAS)")},
      {"update", std::regex(R"((^|[ (=]|device::)(exchange_word|fetch_(add|and|or|xor))\()"
                            R"(|words_\.add\(|\batomic(Add|Sub|Exch|Min|Max|Inc|Dec|And|Or|Xor))")},
      {"barrier", std::regex(R"(\b__sync(threads|warp)\()")},
  };
  return all;
}
// The beginning of a function of that name, not a call.
const std::regex declaration(R"(\b(T|W|answer|errc|bool|void|auto|std::uint64_t) \w+\()");

std::vector<step> steps() {
  std::vector<step> found;
  for (const fs::path& file : device_files()) {
    unsigned number = 0;
    for (const std::string& line : lines_of(file)) {
      ++number;
      const std::string code = line.substr(0, line.find("//"));
      for (const primitive& p : primitives()) {
        std::smatch call;
        if (!std::regex_search(code, call, p.call)) continue;
        std::smatch begins;
        const bool declares =
            std::regex_search(code, begins, declaration) &&
            begins.position() + begins.length() >= call.position() + call.length();
        if (!declares)
          found.push_back(
              {p.kind, line, fs::relative(file, source).string() + ":" + std::to_string(number)});
      }
    }
  }
  return found;
}

struct exempt {
  std::string_view kind, text, why;
};
constexpr exempt without_mutant[] = {
    {"fence", "void order() const { device::fence(); }", "its callers have one each"},
    {"swap", "return device::compare_exchange(base_ + i", "its callers have one each"},
    {"update", "return device::fetch_add(base_ + i", "its caller has one"},
    {"acquire", "return words_.load(slot);", "relaxed, or plain: of words that do not peek"},
    // The interpreter delays no read past a store that depends on it, and no update past a store.
    {"release", "words_.publish(p.at, p.now);  // it was held to be read", "argued in the header"},
    {"release", "words_.publish(slot, now);  // another key's", "argued in the header"},
    {"release", "if (held) words_.publish(p.at, p.now)", "argued in the header"},
};

template <class All>
bool names(const All& all, const step& s) {
  for (const auto& one : all)
    if (one.kind == s.kind && s.line.find(one.text) != std::string::npos) return true;
  return false;
}

TEST(Mutants, EveryStepOfDeviceCodeHasOneOrAReason) {
  const auto all = mutants();
  ASSERT_GT(all.size(), 40u);
  ASSERT_GT(steps().size(), 40u);
  for (const step& s : steps())
    EXPECT_TRUE(names(all, s) || names(without_mutant, s))
        << s.where << ": no mutant of kind " << s.kind << " names\n"
        << s.line;
}

TEST(Mutants, NoReasonIsLeftOfAStepThatHasGone) {
  const auto all = steps();
  for (const exempt& e : without_mutant) {
    bool there = false;
    for (const step& s : all)
      there = there || (s.kind == e.kind && s.line.find(e.text) != std::string::npos);
    EXPECT_TRUE(there) << e.text;
  }
}

}  // namespace
