// Requested, provided and asserted kinds of memory (MPI 4.1 §11.4.3). Runtimes decide which device
// kinds a machine has; everything here is a function of what a lookup returns.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kinds/provider.hpp"
#include "oriel/memory_kinds.hpp"

namespace oriel::kinds {

// Returns the requested kinds: the session's info beats the launcher's argument; with neither,
// "mpi,system".
std::string requested_kinds(const std::optional<std::string>& by_launcher,
                            const std::optional<std::string>& by_session);

// Returns the value of mpi_memory_alloc_kinds that a session provides of what is requested.
// Elements that can be provided come back as they were written; others are left out. A kind without
// restrictors requests all of its memory, so it is provided when none of its restrictors is
// lacking; a request for a part of it names the restrictors. An empty request provides nothing.
// Only kinds that the request names are looked up. Throws errc::info for a malformed list, before
// any lookup.
std::string provided_kinds(std::string_view requested,
                           const provider_lookup& lookup = find_provider);

// Returns why memory of `kind`, "cuda:device" say, is not among what provided_kinds returns: a
// clause for messages. Throws errc::info as above. REQUIRES: it is not among them.
std::string why_not_provided(std::string_view kind, std::string_view requested,
                             const provider_lookup& lookup = find_provider);

// Returns the value of mpi_assert_memory_alloc_kinds that comes into force: nothing, since the
// whole key is ignored, when it is malformed or one element of it is not provided.
std::optional<memory_kind_list> accepted_assertion(std::string_view asserted,
                                                   const memory_kind_list& provided);

}  // namespace oriel::kinds
