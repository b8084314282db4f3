#include "tests/drivers/ptx/mutant.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "tests/drivers/ptx/atomic.hpp"
#include "tests/drivers/ptx/machine.hpp"

namespace oriel::test_driver::ptx {
namespace {

outcome nothing(thread&, const instruction&) {
  return outcome::next;
}
outcome swap_without_comparing(thread& t, const instruction& i) {
  const std::size_t bytes = size_of(i.of);
  const reached place = reach(t, i, address_of(t, i.op[1]), bytes);
  t.view.before_update(place.at, bytes, false);
  store_word(place.at, bytes, bits_of(t, i.op[3]));
  t.view.updated(place.at, true, false);
  t.now.registers[i.op[0].reg] = bits_of(t, i.op[2]);
  return outcome::next;
}

outcome update_in_two_steps(thread& t, const instruction& i) {
  const std::size_t bytes = size_of(i.of);
  const reached place = reach(t, i, address_of(t, i.op[1]), bytes);
  schedule& turns = t.in->in->turns;
  const std::uint64_t before = t.view.load(place.at, bytes, turns);
  t.view.store(place.at, bytes, combined_bits(i, before, bits_of(t, i.op[2])), turns);
  if (i.op[0].what == operand::kind::reg) t.now.registers[i.op[0].reg] = before;
  return outcome::next;
}
template <bool Holds>
outcome hold(thread& t, const instruction& i) {
  t.now.registers[i.op[0].reg] = Holds ? 1 : 0;
  return outcome::next;
}

struct weakening {
  std::string_view name, opcode, qualifier;
  void (*make)(instruction&);
};
constexpr weakening weakenings[] = {
    {"barrier", "bar.", "sync", [](instruction& i) { i.run = nothing; }},
    {"fence", "membar", "", [](instruction& i) { i.run = nothing; }},
    {"acquire", "ld.acquire", "", [](instruction& i) { i.ordering = order::relaxed; }},
    {"release", "st.release", "", [](instruction& i) { i.ordering = order::relaxed; }},
    {"swap", "atom.", ".cas.", [](instruction& i) { i.run = swap_without_comparing; }},
    {"update", "", "", [](instruction& i) { i.run = update_in_two_steps; }},
    {"yes", "setp.", "", [](instruction& i) { i.run = hold<true>; }},
    {"no", "setp.", "", [](instruction& i) { i.run = hold<false>; }},
};

bool is(const instruction& i, std::string_view line, const weakening& w) {
  if (w.name == "update" && (!i.updates || line.find(".cas.") != std::string_view::npos))
    return false;
  return line.find(w.opcode) != std::string_view::npos &&
         line.find(w.qualifier) != std::string_view::npos;
}

// The lines of source files that have the text.
std::set<std::pair<std::uint32_t, std::uint32_t>> lines_with(const module& m,
                                                             const std::string& text) {
  std::set<std::pair<std::uint32_t, std::uint32_t>> found;
  for (const auto& [number, path] : m.files) {
    std::ifstream source(path);
    std::string line;
    for (std::uint32_t at = 1; std::getline(source, line); ++at)
      if (line.find(text) != std::string::npos) found.emplace(number, at);
  }
  return found;
}

void weaken(module& m, const weakening& w, const std::string& text) {
  const auto lines = lines_with(m, text);
  unsigned weakened = 0;
  for (auto& [name, f] : m.functions)
    for (instruction& i : f->code) {
      bool there = false;
      for (std::int32_t at = i.source; at >= 0 && !there; at = m.locations[at].inlined_at)
        there = lines.contains({m.locations[at].file, m.locations[at].line});
      if (!there || !is(i, m.lines[i.line - 1], w)) continue;
      w.make(i);
      ++weakened;
    }
  if (weakened == 0) {
    // A failure of the kernel would pass for the mutant's.
    std::fprintf(stderr, "ORIEL_TEST_MUTANT: no instruction comes from a line with '%s'\n",
                 text.c_str());
    std::_Exit(2);
  }
  std::fprintf(stderr, "test driver: weakened %u instructions of '%s'\n", weakened, text.c_str());
}

}  // namespace

void weaken_by_environment(module& m) {
  const char* const variable = std::getenv("ORIEL_TEST_MUTANT");
  if (variable == nullptr) return;
  const std::string_view text = variable;
  const auto colon = text.find(':');
  for (const weakening& w : weakenings) {
    if (colon == std::string_view::npos || text.substr(0, colon) != w.name) continue;
    return weaken(m, w, std::string(text.substr(colon + 1)));
  }
  throw error(0, "ORIEL_TEST_MUTANT is no kind:text");
}

}  // namespace oriel::test_driver::ptx
