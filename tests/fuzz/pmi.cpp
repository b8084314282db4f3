// Lines of a PMI-1 process manager.
#include <algorithm>

#include "session/bootstrap/pmi_message.hpp"
#include "tests/fuzz/target.hpp"

namespace oriel::fuzz {
namespace {

bool all_printable(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c <= '~'; });
}

void check_numbers(const sessions::pmi_message& m) {
  for (const auto& [name, value] : m.fields) {
    const auto number = m.number(name, -1, 1 << 30);
    if (!number) continue;
    require(*number >= -1 && *number <= 1 << 30, "a number is in its bounds");
    require(!m.number(name, *number + 1, 1 << 30), "bounds exclude what lies outside of them");
  }
}

void check_line(std::string_view line) {
  const auto m = sessions::parse_pmi_message(line);
  if (!m) return;
  require(line.size() <= sessions::longest_pmi_line && all_printable(line), "a message is a line");
  require(!m->command.empty(), "a message has a command");
  std::string written = "cmd=" + m->command;
  for (const auto& [name, value] : m->fields) {
    require(!name.empty() && name != "cmd", "a field has a name of its own");
    require(m->text(name) == value, "a field is found by its name");
    written += " " + name + "=" + value;
  }
  require(written.size() <= line.size(), "a message is no longer than its line");
  const auto again = sessions::parse_pmi_message(written);
  require(again && again->command == m->command && again->fields == m->fields,
          "a message that is written comes back as it was");
  check_numbers(*m);
}

}  // namespace

std::vector<std::string> seeds() {
  return {"cmd=response_to_init pmi_version=1 pmi_subversion=1 rc=0",
          "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024",
          "cmd=get_result rc=0 msg=success value=6869",
          "cmd=get_result rc=-1 msg=key_not_found value=unknown",
          "  cmd=barrier_out   rc=0 ",
          "rc=0 cmd=put_result",
          "cmd=a b=1 b=2",
          "cmd=a value=x=y=z number=2147483648",
          "6869ff00"};
}

void check(std::string_view input) {
  check_line(input);
  if (const auto bytes = sessions::from_hex(input))
    require(sessions::to_hex(*bytes) == input, "digits that are read are those that were written");
  require(sessions::from_hex(sessions::to_hex(input)) == input,
          "bytes come back from their digits");
  const std::string quote = sessions::printable(input);
  require(quote.size() <= 80 + std::string_view("…").size(), "a quotation is short");
  require(all_printable(quote.substr(0, std::min<std::size_t>(input.size(), 80))),
          "a quotation is printable");
}

}  // namespace oriel::fuzz
