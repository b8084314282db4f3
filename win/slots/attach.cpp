// attach and detach: local calls that change this rank's book.
#include <cstdint>
#include <string>

#include "kinds/classify.hpp"
#include "kinds/device_kind.hpp"
#include "session/node/moved_pages.hpp"
#include "win/slots/slots.hpp"

namespace oriel::win {
namespace {

// Attached memory is reached by loads, stores and the kernel's copies, by its owner and its peers.
errc refuse_device(window_core& core, const kinds::device_allocation& found) noexcept {
  return core.fail(errc::rma_attach,
                   "attach: the memory is of kind " + kinds::kind_text(found.whose, found.where) +
                       ", and windows that attach hold the host's memory; allocate and create make "
                       "windows over a device's");
}

// Of memory that is the node's, or becomes it.
std::optional<std::uint64_t> offset_in_node(window_core& core, const void* base,
                                            std::uint64_t bytes) {
  if (const auto offset = core.node_memory().offset_of(base, bytes)) return offset;
  detail::session_state& session = core.group->session();
  if (bytes == 0 || !core.memory.moves_private || session.job().ranks_on_node() == 1)
    return std::nullopt;
  try {
    return session.extension<sessions::moved_pages>().move(base, bytes).offset;
  } catch (const std::exception&) {
    return std::nullopt;  // it is reached as other private memory
  }
}

std::string why_refused(const window_core& core, const void* base, std::uint64_t count) {
  const std::size_t extent = core.agreed.extent;
  if (count == 0 || base == nullptr) return "the memory is empty";
  const std::uintptr_t beside = reinterpret_cast<std::uintptr_t>(base) % extent;
  if (core.memory.own_book->is_by_address() && beside != 0)
    return "displacements are addresses in extents, of " + std::to_string(extent) +
           " bytes, and the memory begins " + std::to_string(beside) + " bytes behind a multiple";
  return "the memory overlaps memory that is attached already, or ends beyond all addresses";
}

errc attach(window_core& core, void* base, std::uint64_t count, segment<std::byte>* attached,
            call_site) noexcept {
  if (const auto found = kinds::classify(base); found && found->where != kinds::residence::host)
    return refuse_device(core, *found);
  const auto offset = offset_in_node(core, base, count * core.agreed.extent);
  if (!offset && core.ranks() > 1 &&
      core.agreed.promised.has_any(assertion::remote_load_store | assertion::node_load_store))
    return core.fail(errc::rma_shared,
                     "attach: the window promises load and store by its peers, and this memory is "
                     "private; session::alloc_mem gives memory that is mapped");
  segment_record record;
  errc e = errc::success;
  try {
    e = core.memory.own_book->add(reinterpret_cast<std::uint64_t>(base),
                                  offset ? static_cast<std::int64_t>(*offset) : detail::unmapped,
                                  count, core.agreed.extent, record);
  } catch (const error& failure) {
    return core.fail(failure.code(), std::string("attach: ") + failure.what());
  }
  if (e != errc::success) return core.fail(e, "attach: " + why_refused(core, base, count));
  if (core.routes.remote != nullptr) core.routes.remote->expose_attached(record);
  *attached = {static_cast<segment_handle>(record.handle), disp{record.first}, record.count,
               static_cast<std::byte*>(base)};
  return e;
}

errc detach(window_core& core, segment_handle handle, call_site) noexcept {
  const errc e = core.memory.own_book->remove(static_cast<std::uint64_t>(handle));
  if (e != errc::success)
    return core.fail(e, "detach: no buffer has the handle " +
                            std::to_string(static_cast<std::uint32_t>(handle)));
  {
    const std::lock_guard none_is_being_served(core.memory.serving_attached);
    if (core.memory.own_pages != nullptr) core.memory.own_pages->forget();
  }
  if (core.routes.remote == nullptr) return e;
  const errc left = core.routes.remote->withdraw_attached(static_cast<std::uint64_t>(handle));
  return left == errc::success
             ? left
             : core.fail(left, "detach: a rank of another node may still access the memory");
}

}  // namespace

void fill_attach_slots(operation_table& table) {
  table.attach = attach;
  table.detach = detach;
}

}  // namespace oriel::win
