#include "bench/driver/mpi_table.hpp"

#include <fmt/format.h>

#include <set>

#include "bench/driver/gather.hpp"

namespace bench {
namespace {

struct factors {
  double over_openmpi = 0;
  double over_mpich = 0;
};

factors wanted_of(const std::string& name) {
  static const std::map<std::string, factors> all{
      {"put_flush", {4, 20}},
      {"get_flush", {4, 20}},
      {"fetch_add", {4, 20}},
      {"compare_swap", {4, 20}},
      {"lock_put_unlock", {2, 4}},
      {"lock_shared_put_unlock", {2, 4}},
      {"fence", {2, 4}},
      {"pscw", {2, 4}},
      {"put_bw", {1, 1}},
      {"get_bw", {1, 1}},
      {"tile_sum", {1, 1}},
      {"tile_sum_both", {1, 1}},
      {"tile_sum_locked", {1, 1}},
      {"create_free", {1, 1}},
      {"construct", {1, 1}},
      {"dynamic_free", {1, 1}},
      {"create_put_flush", {5, 5}},
      {"create_put_rate", {1, 1}},
      {"create_get_flush", {5, 5}},
      {"create_fetch_add", {5, 5}},
      {"create_compare_swap", {5, 5}},
      {"create_accumulate", {5, 5}},
      {"create_fence", {2, 2}},
      {"create_pscw", {2, 2}},
      {"dynamic_put_flush", {5, 5}},
      {"dynamic_put_rate", {1, 1}},
      {"dynamic_get_flush", {5, 5}},
      {"dynamic_fetch_add", {5, 5}},
      {"dynamic_compare_swap", {5, 5}},
      {"dynamic_accumulate", {5, 5}},
      {"dynamic_fence", {2, 2}},
      {"dynamic_pscw", {2, 2}},
      {"sum_char", {1, 1}},
      {"sum_int", {1, 1}},
      {"sum_double", {1, 1}},
      {"create_sum_char", {1, 1}},
      {"create_sum_int", {1, 1}},
      {"create_sum_double", {1, 1}},
      {"create_strided_put", {1, 1}},
      {"create_strided_get", {1, 1}},
      {"create_strided_sum", {1, 1}},
      {"coarray_put", {0, 10}},
      {"coarray_get", {0, 10}},
      {"coarray_atomic_add", {0, 10}},
      {"coarray_fetch_add", {0, 10}},
  };
  const auto found = all.find(name);
  return found == all.end() ? factors{} : found->second;
}

template <class Value>
Value at_or_none(const std::map<std::string, Value>& from, const std::string& key) {
  const auto found = from.find(key);
  return found == from.end() ? Value{} : found->second;
}

std::string cell(const std::optional<timing>& time, const std::string& failure) {
  return time ? fmt::format("{:.2f}", time->middle) : failure.empty() ? "-" : failure;
}

}  // namespace

std::vector<mpi_row> join_hosts(const std::map<std::string, samples>& measured,
                                const std::map<std::string, std::string>& failures) {
  std::vector<mpi_row> rows;
  for (const auto& [host, own] : measured) {
    if (host.ends_with(preloaded)) continue;
    const std::string mpi = host.substr(0, host.find('-'));
    const std::string with = mpi + preloaded;
    const samples ours = at_or_none(measured, with);
    std::set<row_key> keys;
    for (const samples& from : {own, ours})
      for (const row_key& key : from.keys()) keys.insert(key);
    for (const row_key& key : keys) {
      // What a component cannot do at all (coarrays on Open MPI's `sm`) is no row of its own.
      if (host != mpi && !own.of(key)) continue;
      mpi_row row{key, host, own.of(key), ours.of(key), {}, {}};
      row.host_failure = at_or_none(failures, gatherer::place(host, key.ranks, key.name));
      row.oriel_failure = at_or_none(failures, gatherer::place(with, key.ranks, key.name));
      const bool stands_for =
          host == mpi || failures.count(gatherer::place(mpi, key.ranks, key.name));
      const factors f = wanted_of(key.name);
      if (stands_for) row.wanted = mpi == "mpich" ? f.over_mpich : f.over_openmpi;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

std::string print_table(const std::vector<mpi_row>& rows) {
  std::string text = fmt::format("{:<24}{:>9}  {:<11}{:>14}{:>14}{:>10}  {}\n", "case", "bytes",
                                 "MPI", "its own ns", "oriel ns", "ratio", "aim");
  for (const mpi_row& row : rows) {
    std::string aim;
    if (const auto met = row.met())
      aim = fmt::format(">={:g}x {}", row.wanted, *met ? "met" : "MISSED");
    text += fmt::format("{:<24}{:>9}  {:<11}{:>14}{:>14}{:>10}  {}\n", row.key.name, row.key.bytes,
                        row.host, cell(row.host_time, row.host_failure),
                        cell(row.oriel, row.oriel_failure),
                        row.ratio() ? fmt::format("{:.2f}", *row.ratio()) : "-", aim);
  }
  return text;
}

}  // namespace bench
