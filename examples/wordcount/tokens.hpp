// Cutting text into words, and FASTA records into k-mers.
#pragma once

#include <cstdint>
#include <string>

#include "examples/wordcount/input.hpp"

namespace wordcount {

inline bool is_letter(char c) noexcept {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}
inline char lower(char c) noexcept {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Calls take(word) for each word that begins in the part: letters of ASCII, as long as they last,
// in lower case; what `tr -cs A-Za-z '\n' | tr A-Z a-z` makes of the file.
template <class Take>
void each_word(const part& p, Take take) {
  std::string word;
  std::size_t i = p.begin;
  // A word that began before belongs to the piece that has its beginning.
  if (i > 0 && is_letter(p.text[i - 1]))
    while (i < p.end && is_letter(p.text[i])) ++i;
  while (i < p.end) {
    while (i < p.end && !is_letter(p.text[i])) ++i;
    if (i >= p.end) return;
    word.clear();
    while (i < p.text.size() && is_letter(p.text[i])) word += lower(p.text[i++]);
    take(word);
  }
}

// Bytes that the texts of all words of these parts take at most, each with one byte after it. The
// last word of a part may go on beyond it.
std::uint64_t text_room(const std::vector<part>&);

inline constexpr int longest_kmer = 31;

// Two bits a base; 4 for anything else.
inline std::uint64_t base_code(char c) noexcept {
  switch (c) {
    case 'A':
    case 'a':
      return 0;
    case 'C':
    case 'c':
      return 1;
    case 'G':
    case 'g':
      return 2;
    case 'T':
    case 't':
      return 3;
    default:
      return 4;
  }
}

// Whether a part begins inside a FASTA record's header.
inline bool begins_in_header(const part& p) noexcept {
  std::size_t line = p.begin;
  while (line > 0 && p.text[line - 1] != '\n') --line;
  return line < p.text.size() && p.text[line] == '>';
}

// Calls take(code) for each window of `k` bases that begins in the part. Windows run over line ends
// but not over headers ('>' lines) or letters other than ACGT.
template <class Take>
void each_kmer(const part& p, int k, Take take) {
  const std::uint64_t mask = (std::uint64_t{1} << (2 * k)) - 1;
  bool header = begins_in_header(p);
  std::uint64_t code = 0;
  int length = 0;             // bases in `code`
  std::size_t ours_left = 0;  // of those bases, how many begin in the part
  for (std::size_t i = p.begin; i < p.text.size(); ++i) {
    const char c = p.text[i];
    if (i >= p.end && ours_left == 0) return;
    if (c == '\n') {
      header = false;
      continue;
    }
    if (c == '\r') continue;
    if (c == '>' && i > 0 && p.text[i - 1] == '\n') header = true;
    const std::uint64_t b = base_code(c);
    if (header || b == 4) {
      length = 0;
      ours_left = 0;
      if (i >= p.end) return;
      continue;
    }
    code = ((code << 2) | b) & mask;
    if (i < p.end) ++ours_left;
    if (++length < k) continue;
    if (length > k) length = k;
    // The window's first base is k bases back; it is ours while ours are left.
    take(code);
    --ours_left;
  }
}

std::string kmer_text(std::uint64_t code, int k);

}  // namespace wordcount
