#include "win/construct/own_memory.hpp"

#include <algorithm>

#include "kinds/classify.hpp"
#include "kinds/device_kind.hpp"
#include "kinds/grammar.hpp"
#include "oriel/memory_kinds.hpp"
#include "session/device_hint.hpp"
#include "session/move_hint.hpp"
#include "session/node/moved_pages.hpp"
#include "session/session_state.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/hints_in_force.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using kinds::residence;

place place_of(residence r) noexcept {
  switch (r) {
    case residence::device:
      return place::device_memory;
    case residence::managed:
      return place::managed_memory;
    case residence::host:
      break;
  }
  return place::private_memory;
}

[[noreturn]] void not_provided(const std::string& kind, const std::string& provided) {
  throw error(errc::unsupported_kind, "memory of kind '" + kind +
                                          "' was asked for, and this session provides '" +
                                          provided + "' (mpi_memory_alloc_kinds)");
}

void find_out_whether_openable(own_memory& m) {
  if (m.where != place::device_memory) return;
  m.why_closed = m.runtime->lacks_ipc(m.device, m.residence);
  m.openable = m.why_closed.empty();
}

// A program's own memory may have no handle where oriel's has: of a pool, say, or too small.
void try_to_export(own_memory& m, void* memory) {
  try {
    m.ticket = m.runtime->export_memory(memory);
  } catch (const error& e) {
    m.openable = false;
    m.why_closed = e.what();
  }
}

own_memory to_allocate(const construction& c, detail::session_state& s, int node_rank_of) {
  own_memory m;
  m.where = place::node_memory;
  const std::string& kind = c.options->memory_kind;
  if (kind.empty()) return m;
  const kinds::element e = kinds::parse_element(kind);
  const std::string provided = s.hints().get("mpi_memory_alloc_kinds").value_or("");
  if (!memory_kind_list::parse(provided).contains(e.text)) not_provided(e.text, provided);
  const auto whose = kinds::vendor_named(e.kind);
  if (!whose) return m;
  const auto where = e.restrictors.size() == 1
                         ? kinds::residence_named(*whose, *e.restrictors.begin())
                         : std::nullopt;
  if (!where)
    throw error(errc::arg, "memory_kind is '" + e.text + "'; valid: one restrictor, as '" +
                               kinds::kind_text(*whose, residence::device) + "'");
  m.runtime = kinds::runtime(*whose);
  if (m.runtime == nullptr) not_provided(e.text, kinds::why_absent(*whose));
  if (const std::string why = m.runtime->lacks(*where); !why.empty())
    throw error(errc::unsupported_kind, "no memory of kind '" + e.text + "': " + why);
  m.residence = *where;
  m.device = sessions::device_hint(c.options->hints, *m.runtime, node_rank_of);
  if (*where == residence::host) return m;
  m.where = c.count == 0 ? place::nowhere : place_of(*where);
  find_out_whether_openable(m);
  return m;
}

// Where that is wanted, and there are ranks that gain by it.
void move_into_node(own_memory& m, const construction& c, detail::session_state& s,
                    std::uint64_t bytes) {
  if (bytes == 0 || !m.moves_private || s.job().ranks_on_node() == 1) return;
  try {
    const auto moved = s.extension<sessions::moved_pages>().move(c.memory, bytes);
    m.why_private = moved.why;
    if (!moved.offset) return;
    m.where = place::node_memory;
    m.offset = *moved.offset;
  } catch (const std::exception& e) {
    m.why_private = e.what();  // and then it is reached as other private memory
  }
}

own_memory given(const construction& c, detail::session_state& s) {
  own_memory m;
  m.moves_private = sessions::moves_private(c.options->hints);
  if (c.memory == nullptr) return m;
  const auto bytes = c.count * static_cast<std::uint64_t>(c.base.extent());
  if (const auto offset = s.memory().offset_of(c.memory, bytes)) {
    m.where = place::node_memory;
    m.offset = *offset;
    return m;
  }
  m.where = place::private_memory;
  const auto found = kinds::classify(c.memory);
  if (!found) {
    move_into_node(m, c, s, bytes);
    return m;
  }
  m.runtime = kinds::runtime(found->whose);
  m.residence = found->where;
  m.device = found->device;
  m.where = place_of(found->where);
  const std::string kind = kinds::kind_text(found->whose, found->where);
  const std::string provided = s.hints().get("mpi_memory_alloc_kinds").value_or("");
  if (!memory_kind_list::parse(provided).contains(kind)) not_provided(kind, provided);
  const std::byte* const end = found->base + found->bytes;
  if (bytes > static_cast<std::uint64_t>(end - static_cast<const std::byte*>(c.memory)))
    throw error(errc::base, "the memory given to create ends " +
                                std::to_string(end - static_cast<const std::byte*>(c.memory)) +
                                " bytes after its start, and the window has " +
                                std::to_string(bytes));
  find_out_whether_openable(m);
  if (m.openable) try_to_export(m, c.memory);
  return m;
}

}  // namespace

bool origins_may_be_on_device(const detail::window_core& core) {
  if (!kinds::any_runtime_loaded()) return false;
  const info hints = hints_in_force(core);
  const auto provided = hints.get("mpi_memory_alloc_kinds");
  const auto asserted = hints.get("mpi_assert_memory_alloc_kinds");
  const memory_kind_list allowed =
      memory_kind_list::parse(asserted ? *asserted : provided.value_or(""));
  return std::any_of(allowed.kinds().begin(), allowed.kinds().end(), [](const auto& kind) {
    const auto& [name, restrictors] = kind;
    const auto whose = kinds::vendor_named(name);
    return whose && (restrictors.empty() || restrictors.count("device") != 0);
  });
}

own_memory find_out(const construction& c, detail::session_state& s, int node_rank_of) {
  return c.how == flavor::allocate ? to_allocate(c, s, node_rank_of) : given(c, s);
}

}  // namespace oriel::win
