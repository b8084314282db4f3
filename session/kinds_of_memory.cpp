// What a session allocates and how it names memory, by MPI's kinds.
#include <algorithm>

#include "kinds/classify.hpp"
#include "kinds/device_kind.hpp"
#include "kinds/grammar.hpp"
#include "kinds/negotiate.hpp"
#include "session/alignment_hint.hpp"
#include "session/device_hint.hpp"
#include "session/session_state.hpp"

namespace oriel::detail {
namespace {

constexpr std::size_t least_alignment = 64;

// The element that names what alloc_mem shall give. "mpi" is short for the one sort of it that is
// allocated alone. Throws errc::arg where the name leaves open which memory is meant.
kinds::element to_allocate(std::string_view kind) {
  kinds::element e = kinds::parse_element(kind);
  if (e.kind == "mpi" && e.restrictors.empty()) e = kinds::parse_element("mpi:alloc_mem");
  if (e.kind == "mpi" && e.text != "mpi:alloc_mem")
    throw error(errc::arg, "alloc_mem cannot give '" + e.text +
                               "', which windows allocate; valid of mpi: mpi, mpi:alloc_mem");
  if (e.kind == "system" && !e.restrictors.empty())
    throw error(errc::arg, "'" + e.text + "' is no kind of memory; valid: system");
  const auto v = kinds::vendor_named(e.kind);
  if (v && (e.restrictors.size() != 1 || !kinds::residence_named(*v, *e.restrictors.begin()))) {
    std::string valid;
    for (const kinds::residence r : kinds::all_residences)
      valid += (valid.empty() ? "" : ", ") + kinds::kind_text(*v, r);
    throw error(errc::arg, "alloc_mem was called for '" + e.text +
                               "', which does not name one sort of memory; valid: " + valid);
  }
  return e;
}

}  // namespace

std::span<std::byte> session_state::alloc_mem(std::size_t bytes, const info& hints) {
  const std::size_t alignment = sessions::alignment_hint(hints, least_alignment);
  if (bytes == 0) return {};
  const std::span<std::byte> given = given_.from_node(*memory_, bytes, alignment);
  if (sessions::messenger* const way = job().messages()) way->owns(given);
  return given;
}

std::span<std::byte> session_state::alloc_mem(std::size_t bytes, std::string_view kind,
                                              const info& hints) {
  const kinds::element e = to_allocate(kind);
  const std::string provided = *hints_.get("mpi_memory_alloc_kinds");
  if (!memory_kind_list::parse(provided).contains(e.text))
    throw error(errc::unsupported_kind,
                "this session provides no '" + e.text + "', only '" + provided +
                    "': " + kinds::why_not_provided(e.text, requested_kinds_));
  if (e.kind == "mpi") return alloc_mem(bytes, hints);
  const std::size_t alignment =
      std::max(sessions::alignment_hint(hints, least_alignment), least_alignment);
  const auto whose = kinds::vendor_named(e.kind);
  if (!whose) return bytes == 0 ? std::span<std::byte>() : given_.from_system(bytes, alignment);
  kinds::device_runtime& runtime = *kinds::runtime(*whose);
  const int device = sessions::device_hint(hints, runtime, node_rank_);
  if (bytes == 0) return {};
  return given_.from_device(
      runtime, device, *kinds::residence_named(*whose, *e.restrictors.begin()), bytes, alignment);
}

status session_state::free_mem(std::span<std::byte> memory) noexcept {
  if (memory.data() == nullptr) return memory.empty() ? errc::success : errc::base;
  if (sessions::messenger* const way = job().messages();
      way != nullptr && given_.begins_at(memory.data()))
    way->gives_back(memory.data());
  return given_.take_back(memory.data());
}

std::string session_state::kind_of(const void* p) const {
  // The node's memory first: once it is pinned for devices, their runtimes call it theirs.
  if (memory_->offset_of(p, 1)) return given_.holds(p) ? "mpi:alloc_mem" : "mpi:win_allocate";
  if (const auto a = kinds::classify(p)) return kinds::kind_text(a->whose, a->where);
  return "system";
}

}  // namespace oriel::detail
