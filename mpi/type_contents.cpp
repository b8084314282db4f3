#include "mpi/type_contents.hpp"

#include "oriel/errc.hpp"

namespace oriel::mpi {
namespace {

// How many arguments of each sort a type has.
#if MPI_VERSION >= 4
using number = MPI_Count;
#else
using number = int;
#endif
struct envelope {
  number integers = 0, addresses = 0, counts = 0, types = 0;
  int combiner = MPI_COMBINER_NAMED;
};

[[noreturn]] void refused(const char* what) {
  throw error(errc::type, std::string(what) + " failed for a datatype");
}

envelope envelope_of(MPI_Datatype type) {
  envelope e;
#if MPI_VERSION >= 4
  // This form describes types made with large counts and all others.
  const int rc =
      PMPI_Type_get_envelope_c(type, &e.integers, &e.addresses, &e.counts, &e.types, &e.combiner);
#else
  const int rc = PMPI_Type_get_envelope(type, &e.integers, &e.addresses, &e.types, &e.combiner);
#endif
  if (rc != MPI_SUCCESS) refused("MPI_Type_get_envelope");
  return e;
}

}  // namespace

int combiner_of(MPI_Datatype type) {
  return envelope_of(type).combiner;
}

bool predefined_combiner(int combiner) noexcept {
  return combiner == MPI_COMBINER_NAMED || combiner == MPI_COMBINER_F90_REAL ||
         combiner == MPI_COMBINER_F90_INTEGER || combiner == MPI_COMBINER_F90_COMPLEX;
}

type_contents::type_contents(MPI_Datatype type) {
  const envelope e = envelope_of(type);
  combiner_ = e.combiner;
  std::vector<int> integers(static_cast<std::size_t>(e.integers));
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(e.addresses));
  std::vector<MPI_Count> counts(static_cast<std::size_t>(e.counts));
  types_.resize(static_cast<std::size_t>(e.types), MPI_DATATYPE_NULL);
#if MPI_VERSION >= 4
  const int rc =
      PMPI_Type_get_contents_c(type, e.integers, e.addresses, e.counts, e.types, integers.data(),
                               addresses.data(), counts.data(), types_.data());
#else
  const int rc = PMPI_Type_get_contents(type, e.integers, e.addresses, e.types, integers.data(),
                                        addresses.data(), types_.data());
#endif
  if (rc != MPI_SUCCESS) refused("MPI_Type_get_contents");
  integers_.assign(integers.begin(), integers.end());
  addresses_.assign(addresses.begin(), addresses.end());
  counts_.assign(counts.begin(), counts.end());
}

type_contents::~type_contents() {
  for (MPI_Datatype& type : types_) try {
      if (!predefined_combiner(combiner_of(type))) PMPI_Type_free(&type);
    } catch (const error&) {
      // A handle that MPI has just given and now refuses: there is nothing to give back.
    }
}

std::vector<std::ptrdiff_t> type_contents::ints(std::size_t n) {
  std::vector<std::ptrdiff_t> all(n);
  for (std::ptrdiff_t& i : all) i = next_int();
  return all;
}

std::vector<std::ptrdiff_t> type_contents::counts(std::size_t n) {
  std::vector<std::ptrdiff_t> all(n);
  for (std::ptrdiff_t& i : all) i = next_count();
  return all;
}

std::vector<std::ptrdiff_t> type_contents::bytes(std::size_t n) {
  std::vector<std::ptrdiff_t> all(n);
  for (std::ptrdiff_t& i : all) i = next_bytes();
  return all;
}

}  // namespace oriel::mpi
