#include "tools/run/command_line.hpp"

#include <algorithm>
#include <string_view>

namespace oriel::tools {
namespace {

// Whether the word after `word` is its value: "-n" and "--nodes", not "-n2" or "--nodes=2".
bool takes_the_next(const CLI::App& app, const std::string& word) {
  const CLI::Option* const option = app.get_option_no_throw(word);
  return option != nullptr && option->get_items_expected_max() > 0;
}

}  // namespace

// CLI11 itself would pass the `--` on, and split words in brackets.
std::vector<std::string> parse_command_line(CLI::App& app, int argc, const char* const* argv) {
  CLI::Option* const command =
      app.add_option("command", "the program and its arguments, after -- where it begins with -")
          ->expected(0, -1);
  int end = 1;
  while (end < argc && std::string_view(argv[end]).starts_with('-') &&
         std::string_view(argv[end]) != "--")
    end += takes_the_next(app, argv[end]) ? 2 : 1;
  end = std::min(end, argc);  // the last option may lack its value
  app.parse(end, argv);
  if (end < argc && std::string_view(argv[end]) == "--") ++end;
  if (end == argc) throw CLI::RequiredError(command->get_name());
  return {argv + end, argv + argc};
}

}  // namespace oriel::tools
