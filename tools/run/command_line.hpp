// A launcher's command line: its own options, and then the program's words.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace oriel::tools {

// Parses `app`'s options, which end at the first word that is neither an option nor an option's
// value, or at `--`. Returns the words from there on, unchanged: the program and its arguments.
// Throws CLI::ParseError, also when there is no program. Requires: each option of `app` takes
// one value or none.
std::vector<std::string> parse_command_line(CLI::App& app, int argc, const char* const* argv);

}  // namespace oriel::tools
