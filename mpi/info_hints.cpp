#include "mpi/info_hints.hpp"

#include <array>
#include <vector>

#include "session/aggregate_hint.hpp"
#include "session/move_hint.hpp"

namespace oriel::mpi {

info hints_of(MPI_Info object) {
  info hints;
  if (object == MPI_INFO_NULL) return hints;
  int keys = 0;
  PMPI_Info_get_nkeys(object, &keys);
  for (int i = 0; i < keys; ++i) {
    std::array<char, MPI_MAX_INFO_KEY + 1> key{};
    PMPI_Info_get_nthkey(object, i, key.data());
    int length = 0, found = 0;
    PMPI_Info_get_valuelen(object, key.data(), &length, &found);
    if (found == 0) continue;
    std::vector<char> value(static_cast<std::size_t>(length) + 1);
    PMPI_Info_get(object, key.data(), length, value.data(), &found);
    if (found != 0) hints.set(key.data(), value.data());
  }
  return hints;
}

bool is_true(const info& hints, const char* key) {
  return hints.get(key) == "true";
}
bool is_false(const info& hints, const char* key) {
  return hints.get(key) == "false";
}

info reported_hints(const info& given) {
  info known{{"no_locks", "false"},
             {"accumulate_ordering", "rar,raw,war,waw"},
             {"accumulate_ops", "same_op_no_op"},
             {"mpi_accumulate_granularity", "0"},
             {"same_size", "false"},
             {"same_disp_unit", "false"},
             {"alloc_shared_noncontig", "false"},
             {"oriel_aggregate", sessions::aggregates(given) ? "true" : "false"},
             {"oriel_move_private", sessions::moves_private(given) ? "true" : "false"}};
  info result;
  for (const auto& [key, usual] : known) result.set(key, given.get(key).value_or(usual));
  return result;
}

int add_to(MPI_Info object, const info& hints) noexcept {
  for (const auto& [key, value] : hints)
    if (const int bad = PMPI_Info_set(object, key.c_str(), value.c_str()); bad != MPI_SUCCESS)
      return bad;
  return MPI_SUCCESS;
}

}  // namespace oriel::mpi
