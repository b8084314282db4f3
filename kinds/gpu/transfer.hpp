// gpu_runtime's copies, and memory of other processes.
#pragma once

#include "kinds/gpu/gpu_runtime.hpp"

namespace oriel::kinds {

// A device that has a part in the copy; the sink's rather than the source's, so that copies to one
// place stay in order. Where devices lend their streams, one that is in use already: memory of
// another process may be reported as that of a device where this one has no context and needs none.
template <class Api>
typename gpu_runtime<Api>::carrier gpu_runtime<Api>::carrier_of(const void* to,
                                                                const void* from) const noexcept {
  const auto device_at = [this](const void* side) noexcept {
    const auto found = api_->place(side);
    return found && Api::of_device(found->where) ? found->device : -1;
  };
  const int sink = device_at(to);
  const direction way = sink >= 0 ? direction::in : direction::out;
  if (count_ == 1) return {0, way};
  const auto carries = [this](int device) noexcept {
    return device >= 0 && (!Api::lends_streams || at(device).used());
  };
  if (carries(sink)) return {sink, way};
  const int source = device_at(from);
  if (carries(source)) return {source, way};
  if (!Api::lends_streams) return {0, way};
  const int idle = sink >= 0 ? sink : source, any = some_device();
  return {idle >= 0 && !at(any).used() ? idle : any, way};
}

template <class Api>
errc gpu_runtime<Api>::copy(void* to, const void* from, std::size_t bytes) noexcept {
  if (bytes == 0) return errc::success;
  const carrier by = carrier_of(to, from);
  gpu_device<Api>& d = at(by.device);
  if (!d.ready()) return errc::system;
  const current here(*api_, d.context());
  return here.ok() && d.begin_copy(by.way, to, from, bytes) && d.wait(by.way) ? errc::success
                                                                              : errc::system;
}

template <class Api>
errc gpu_runtime<Api>::clear(void* memory, std::size_t bytes) noexcept {
  if (bytes == 0) return errc::success;
  gpu_device<Api>& d = at(carrier_of(memory, memory).device);
  if (!d.ready()) return errc::system;
  const current here(*api_, d.context());
  return here.ok() && d.begin_clear(memory, bytes) && d.wait(direction::in) ? errc::success
                                                                            : errc::system;
}

template <class Api>
errc gpu_runtime<Api>::begin(std::span<const copy_piece> pieces) noexcept {
  while (!pieces.empty()) {
    const carrier by = carrier_of(pieces.front().to, pieces.front().from);
    gpu_device<Api>& d = at(by.device);
    if (!d.ready()) return errc::system;
    const current here(*api_, d.context());
    bool begun = here.ok();
    do {
      const copy_piece& piece = pieces.front();
      if (begun && piece.bytes != 0)
        begun = d.begin_copy(by.way, piece.to, piece.from, piece.bytes);
      pieces = pieces.subspan(1);
    } while (begun && !pieces.empty() && carrier_of(pieces.front().to, pieces.front().from) == by);
    d.leave(by.way);
    if (!begun) return errc::system;
  }
  return errc::success;
}

template <class Api>
errc gpu_runtime<Api>::drain() noexcept {
  bool good = true;
  for (int i = 0; i < count_; ++i) good = at(i).drain() && good;
  return good ? errc::success : errc::system;
}

template <class Api>
ipc_ticket gpu_runtime<Api>::export_memory(void* pointer) {
  static_assert(sizeof(typename Api::handle) == sizeof(ipc_ticket::handle));
  const auto found = classify(pointer);
  if (!found)
    throw error(errc::rma_shared, std::string("the memory is not ") + Api::title +
                                      "'s, which has no handle of it for other processes");
  if (const std::string why = lacks_ipc(found->device, found->where); !why.empty())
    throw error(errc::rma_shared, why);
  if (const std::string why = api_->lacks_handle(*found, pointer); !why.empty())
    throw error(errc::rma_shared, why);
  const current here(*api_, use(found->device).context());
  typename Api::handle handle{};
  ipc_ticket ticket;
  if (!here.ok() || !api_->export_memory(*found, pointer, &handle, &ticket.offset))
    fail(errc::rma_shared,
         "memory of " + device_name(found->device) + " cannot be exported to other processes");
  std::memcpy(ticket.handle.data(), &handle, sizeof handle);
  ticket.process = this_process();
  ticket.device = found->device;
  ticket.on = api_->identity(found->device);
  return ticket;
}

template <class Api>
std::byte* gpu_runtime<Api>::open(const ipc_ticket& ticket, int my_device) {
  if (ticket.process == this_process())
    throw error(errc::arg, "memory of the calling process needs no opening");
  return opened_.open(ticket, [&] {
    const current here(*api_, use(my_device).context());
    typename Api::handle handle{};
    std::memcpy(&handle, ticket.handle.data(), sizeof handle);
    void* base = nullptr;
    if (!here.ok() || !api_->open(handle, &base))
      fail(errc::rma_shared, device_name(my_device) + " cannot open memory of device " +
                                 std::to_string(ticket.device) + " of process " +
                                 std::to_string(ticket.process.number));
    return opened_memory{static_cast<std::byte*>(base), my_device};
  });
}

template <class Api>
void gpu_runtime<Api>::close(const ipc_ticket& ticket, std::byte*) noexcept {
  opened_.close(ticket, [&](const opened_memory& last) {
    const current here(*api_, at(last.device).context());
    api_->close(last.base);
  });
}

}  // namespace oriel::kinds
