// Requested, provided and asserted kinds of memory (MPI 4.1 §11.4.3).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kinds/provider.hpp"
#include "oriel/memory_kinds.hpp"

namespace oriel::kinds {

// The value of mpi_memory_alloc_kinds that a session answers. What the session's info requests
// beats the launcher's argument; with neither it is "mpi,system". Elements that can be provided
// come back as they were written; others are left out. An empty request provides nothing. Throws
// errc::info for a malformed list.
std::string provided_kinds(const std::optional<std::string>& requested_by_launcher,
                           const std::optional<std::string>& requested_by_session,
                           std::span<const provider> available = providers());

// The value of mpi_assert_memory_alloc_kinds that comes into force: nothing, the whole key being
// ignored, when it is malformed or one element of it is not among the provided.
std::optional<memory_kind_list> accepted_assertion(std::string_view asserted,
                                                   const memory_kind_list& provided);

}  // namespace oriel::kinds
