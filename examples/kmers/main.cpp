// Counts the k-mers of FASTA files on GPUs: kernels of every rank add to one hash_map in the memory
// of all their devices. Exits with 3 where a rank has none.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "examples/kmers/bases.hpp"
#include "examples/kmers/count.hpp"
#include "examples/wordcount/command_line.hpp"
#include "examples/wordcount/print_counts.hpp"
#include "examples/wordcount/tokens.hpp"
#include "oriel/hash_map.hpp"
#include "oriel/memory_kinds.hpp"
#include "oriel/oriel.hpp"

namespace {

using namespace wordcount;
using oriel::assertion;
using oriel::atomic_op;
using oriel::rank;

constexpr const char* name = "oriel-kmers-gpu";
constexpr int no_device = 3;
constexpr const char* kind = "cuda:device";
using table = oriel::hash_map<std::uint64_t, std::uint64_t>;

// Memory of the device, until the end of the program.
template <class T>
T* on_device(oriel::session& job, std::size_t n) {
  return reinterpret_cast<T*>(job.alloc_mem(n * sizeof(T), kind).data());
}

// Collective. This rank's part, piece by piece, and how many k-mers of all ranks there were.
std::uint64_t count_parts(oriel::session& job, const options& o, const std::vector<part>& parts,
                          table& counts) {
  constexpr std::size_t step = 1 << 25;
  auto* const bases = on_device<std::uint8_t>(job, step + longest_kmer);
  auto* const sum = on_device<kmers::tally>(job, 1);
  {
    auto phase = counts.insert_only();
    for (const part& whole : parts)
      for (std::size_t at = whole.begin; at < whole.end; at += step) {
        const kmers::base_run run =
            kmers::bases_of({whole.text, at, std::min(at + step, whole.end)}, o.kmer);
        job.copy(bases, run.bases.data(), run.bases.size()).or_throw();
        kmers::count_on_device(phase.ref(), bases, run.bases.size(), run.starts, o.kmer, sum);
      }
    phase.end().or_throw();  // the kernels have ended
  }
  kmers::tally mine;
  job.copy(&mine, sum, sizeof mine).or_throw();
  const auto failed = job.world().allreduce<std::uint64_t>(mine.failures, atomic_op::sum);
  if (failed != 0)
    throw std::runtime_error(fmt::format(
        "there was no room for {} of the k-mers; ask for more with --capacity", failed));
  return job.world().allreduce<std::uint64_t>(mine.kmers, atomic_op::sum);
}

// Collective. Every count, on rank 0.
counted gather(const oriel::team& world, table& counts, int k) {
  struct entry {
    std::uint64_t code, count;
  };
  std::vector<entry> mine;
  counts.for_each_local([&mine](std::uint64_t code, std::uint64_t n) {
    mine.push_back({code, n});
  });
  const auto sizes = world.allgather(mine.size());
  constexpr auto promise = assertion::shared_lock | assertion::multi_element;
  auto shared = oriel::window<entry, promise>::create(world, mine, {.name = "counts"});
  counted all;
  if (world.me() == rank{0}) {
    auto epoch = shared.lock_all();
    for (int r = 0; r < world.size(); ++r) {
      std::vector<entry> theirs(sizes[static_cast<std::size_t>(r)]);
      shared.get(rank{r}, oriel::disp{0}, std::span(theirs)).or_throw();
      shared.flush(rank{r}).or_throw();
      for (const entry& e : theirs) all.emplace_back(e.count, kmer_text(e.code, k));
    }
  }
  world.barrier().or_throw();
  return all;
}

// Collective. Returns whether every rank has a device; a rank that has none prints why.
bool all_have_devices(oriel::session& job) {
  const auto provided = oriel::memory_kind_list::parse(*job.hints().get("mpi_memory_alloc_kinds"));
  const bool has = provided.contains(kind);
  if (!has) try {
      static_cast<void>(job.alloc_mem(1, kind));
    } catch (const oriel::error& why) {
      fmt::print(stderr, "{}: no GPU to count on: {}\n", name, why.what());
    }
  return job.world().allreduce<std::int32_t>(has ? 1 : 0, atomic_op::min) == 1;
}

int run(const options& o, int argc, char** argv) {
  oriel::session_options asked;
  asked.hints.set("mpi_memory_alloc_kinds", "mpi,system,cuda:device");
  oriel::session job{argc, argv, asked};
  const oriel::team world = job.world();
  if (!all_have_devices(job)) return no_device;
  kmers::choose_device(job.node().me().value);
  const std::optional<input> texts = open_input(world, name, o.files);
  if (!texts) return 1;
  const auto parts = texts->share(world.me().value, world.size());
  table counts(world, o.capacity != 0 ? o.capacity : texts->bytes() + 1024,
               {.name = "k-mers", .memory_kind = kind});
  world.barrier().or_throw();
  const auto start = std::chrono::steady_clock::now();
  const std::uint64_t all_kmers = count_parts(job, o, parts, counts);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  counted all = gather(world, counts, o.kmer);
  if (world.me() == rank{0})
    print_counts(std::move(all),
                 {"k-mers", all_kmers, world.size(), took.count(), counts.explain(), o.counts});
  world.barrier().or_throw();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program({.name = name,
                      .description = "Counts k-mers of FASTA input on GPUs.",
                      .files = "FASTA files",
                      .files_required = true,
                      .defaults = {.kmer = 21},
                      .run = run},
                     argc, argv);
}
