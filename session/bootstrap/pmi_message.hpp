// Lines of the PMI-1 wire protocol, "cmd=get_result rc=0 msg=success value=6869", in the dialect of
// MPICH's process managers. Pure functions, which verify their arguments.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace oriel::sessions {

// Longer lines are malformed. Process managers announce values of about 1024 characters.
inline constexpr std::size_t longest_pmi_line = 64u << 10;
// With the newline, of what a client sends: Slurm's mpi/pmi2 takes what one read of so many bytes
// gives for a request, though it announces values of the same length.
inline constexpr std::size_t longest_pmi_request = 1024;

struct pmi_message {
  std::string command;
  std::map<std::string, std::string, std::less<>> fields;  // but for `cmd`

  // The field's value; nothing when there is none.
  [[nodiscard]] std::optional<std::string_view> text(std::string_view field) const;
  // The field as a decimal number from low to high; nothing when it is anything else.
  [[nodiscard]] std::optional<int> number(std::string_view field, int low, int high) const;
};

// `line` without its newline. Nothing unless it is words of printable ASCII separated by blanks,
// each "name=value", every name once, `cmd` first and not empty.
std::optional<pmi_message> parse_pmi_message(std::string_view line);

// Values travel as words: two hexadecimal digits a byte.
std::string to_hex(std::string_view bytes);
// Nothing when `digits` are not what to_hex writes.
std::optional<std::string> from_hex(std::string_view digits);

// What of a strange line is fit for an error message.
std::string printable(std::string_view line);

}  // namespace oriel::sessions
