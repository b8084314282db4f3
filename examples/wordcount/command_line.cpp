#include "examples/wordcount/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "examples/wordcount/tokens.hpp"

namespace wordcount {

int run_program(const program& p, int argc, char** argv) {
  options o = p.defaults;
  CLI::App app{p.description};
  app.add_option("files", o.files, p.files)->required(p.files_required);
  app.add_option("--kmer", o.kmer, "count k-mers of this length in FASTA files")
      ->check(CLI::Range(1, longest_kmer));
  app.add_option("--capacity", o.capacity, "distinct keys to make room for");
  app.add_option("--counts", o.counts, "write every count to this file");
  CLI11_PARSE(app, argc, argv);
  try {
    return p.run(o, argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}: {}\n", p.name, e.what());
    return 1;
  }
}

}  // namespace wordcount
