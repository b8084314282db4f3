// Counts the distinct words of text files, or the k-mers of FASTA files, in a hash table that lives
// in a typed window of all ranks.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "examples/wordcount/command_line.hpp"
#include "examples/wordcount/input.hpp"
#include "examples/wordcount/print_counts.hpp"
#include "examples/wordcount/progress.hpp"
#include "examples/wordcount/tokens.hpp"
#include "examples/wordcount/word_table.hpp"

namespace {

using namespace wordcount;
using oriel::atomic_op;
using oriel::rank;

constexpr const char* name = "oriel-wordcount";

// Distinct keys to make room for. Natural text repeats itself; k-mers may all differ.
std::uint64_t keys_expected(const options& o, std::uint64_t bytes) {
  if (o.capacity != 0) return o.capacity;
  if (o.kmer != 0) return bytes + 1024;
  return std::min(bytes / 2 + 1024, std::max<std::uint64_t>(std::uint64_t{1} << 20, bytes / 8));
}

std::uint64_t count_parts(const options& o, const std::vector<part>& parts, word_table& table,
                          progress& bar) {
  constexpr std::size_t step = 1 << 16;
  std::uint64_t tokens = 0;
  for (const part& whole : parts) {
    for (std::size_t at = whole.begin; at < whole.end; at += step) {
      const part piece{whole.text, at, std::min(at + step, whole.end)};
      if (o.kmer != 0)
        each_kmer(piece, o.kmer, [&](std::uint64_t code) { table.count_code(code), ++tokens; });
      else
        each_word(piece, [&](const std::string& word) { table.count_word(word), ++tokens; });
      bar.advance(piece.end - piece.begin);
    }
  }
  return tokens;
}

std::string text_of(const options& o, const word_table::entry& e) {
  return o.kmer != 0 ? kmer_text(e.code, o.kmer) : e.text;
}

// Rank 0 reads the whole table by get.
void report(const options& o, const oriel::team& world, word_table& table, std::uint64_t tokens,
            double seconds) {
  counted all;
  for (int r = 0; r < world.size(); ++r)
    table.read(rank{r},
               [&](const word_table::entry& e) { all.emplace_back(e.count, text_of(o, e)); });
  print_counts(std::move(all), {o.kmer != 0 ? "k-mers" : "words", tokens, world.size(), seconds,
                                table.explain(), o.counts});
}

int run(const options& o, int argc, char** argv) {
  oriel::session job{argc, argv};
  const oriel::team world = job.world();
  const std::optional<input> texts = open_input(world, name, o.files);
  if (!texts) return 1;
  const std::uint64_t bytes = texts->bytes();
  const auto parts = texts->share(world.me().value, world.size());

  // Twice the room that the keys need, so that probe sequences stay short.
  const auto ranks = static_cast<std::uint64_t>(world.size());
  word_table table(world, 2 * keys_expected(o, bytes) / ranks + 1024,
                   o.kmer != 0 ? 1 : text_room(parts));
  progress bar(world, bytes);
  world.barrier().or_throw();
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t tokens = count_parts(o, parts, table, bar);
  table.settle();
  world.barrier().or_throw();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const std::uint64_t all_tokens = world.allreduce(tokens, atomic_op::sum);
  bar.finish();
  if (world.me() == rank{0}) report(o, world, table, all_tokens, took.count());
  world.barrier().or_throw();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program(
      {.name = name,
       .description = "Counts words, or k-mers of FASTA input, in a distributed hash table.",
       .files = "text files (default: the licences that Debian carries)",
       .files_required = false,
       .defaults = {},
       .run = run},
      argc, argv);
}
