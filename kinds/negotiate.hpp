// Requested, provided and asserted kinds of memory (MPI 4.1 §11.4.3). Which device kinds there are
// is their runtimes' to say; everything here is a function of what a lookup answers.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kinds/provider.hpp"
#include "oriel/memory_kinds.hpp"

namespace oriel::kinds {

// What counts as requested: what the session's info says beats the launcher's argument; with
// neither it is "mpi,system".
std::string requested_kinds(const std::optional<std::string>& by_launcher,
                            const std::optional<std::string>& by_session);

// The value of mpi_memory_alloc_kinds that a session answers to what is requested. Elements that
// can be provided come back as they were written; others are left out. A kind without restrictors
// asks for all of its memory, so it is provided when none of its restrictors is lacking; who wants
// what there is names the restrictors. An empty request provides nothing. Only kinds that the
// request names are looked up. Throws errc::info for a malformed list, before any lookup.
std::string provided_kinds(std::string_view requested,
                           const provider_lookup& lookup = find_provider);

// Why memory of `kind`, "cuda:device" say, is not among what provided_kinds answers: a sentence
// without its end, for messages. Throws errc::info as above. REQUIRES: it is not among them.
std::string why_not_provided(std::string_view kind, std::string_view requested,
                             const provider_lookup& lookup = find_provider);

// The value of mpi_assert_memory_alloc_kinds that comes into force: nothing, the whole key being
// ignored, when it is malformed or one element of it is not among the provided.
std::optional<memory_kind_list> accepted_assertion(std::string_view asserted,
                                                   const memory_kind_list& provided);

}  // namespace oriel::kinds
