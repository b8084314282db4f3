// One libfabric endpoint of reliable datagrams and all that it needs, as objects that close
// themselves. Ranks are indices of its address table; there are no windows here.
//
// Every posting call returns 0, -FI_EAGAIN (make progress and try again) or another negative
// libfabric code. Threads: any (FI_THREAD_SAFE).
#pragma once

#include <rdma/fabric.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_rma.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "transport/device_place.hpp"
#include "transport/peer_table.hpp"
#include "transport/pending_ops.hpp"
#include "transport/provider.hpp"

namespace oriel::transport {

template <class Fid>
struct close_fid {
  void operator()(Fid* f) const noexcept { fi_close(&f->fid); }
};
template <class Fid>
using handle = std::unique_ptr<Fid, close_fid<Fid>>;

// A registration of memory, for other processes or this one's own operations. Empty: none was
// needed.
class memory_region {
 public:
  memory_region() = default;
  explicit memory_region(handle<fid_mr> mr) noexcept : mr_(std::move(mr)) {}
  [[nodiscard]] void* descriptor() const noexcept {
    return mr_ == nullptr ? nullptr : fi_mr_desc(mr_.get());
  }
  [[nodiscard]] std::uint64_t key() const noexcept {
    return mr_ == nullptr ? 0 : fi_mr_key(mr_.get());
  }

 private:
  handle<fid_mr> mr_;
};

// The context of an asynchronous call: libfabric owns the first 64 bytes until it completes.
enum class context_kind : std::uint8_t { operation, receive, send, lane };
struct context {
  fi_context2 owned_by_libfabric;
  context_kind kind;
};

class endpoint {
 public:
  // `sleeps`: threads may sleep until something arrives. Being wakeable costs some providers a
  // quarter of their speed. Throws system, with the call that failed.
  explicit endpoint(const fi_info& provider, bool sleeps = true);
  // Another one, with a completion queue of its own, for reads and writes of the same ranks and
  // memory. Requires: others_may_follow(), and `first` knows the ranks. Throws as the other.
  explicit endpoint(const endpoint& first);
  ~endpoint();
  endpoint& operator=(const endpoint&) = delete;

  [[nodiscard]] std::string address() const;
  // Before anything is posted: the address of each of `ranks` ranks. It is asked for when a rank is
  // first posted to, on that thread.
  void know(int ranks, peer_table::addresses address_of) {
    shared_->peers.open(*shared_->av, ranks, std::move(address_of));
  }
  // Whether this process's registrations serve all endpoints.
  [[nodiscard]] bool others_may_follow() const noexcept {
    return (info_->domain_attr->mr_mode & FI_MR_ENDPOINT) == 0;
  }

  // For remote reads and writes. `key` is a request: where the provider chooses itself or has
  // shorter keys, key() returns the key.
  // `device`: where memory of a device kind lives; nothing for the host's. Throws errc::no_mem when
  // a limit on registered memory (RLIMIT_MEMLOCK) is in the way, else errc::system.
  [[nodiscard]] memory_region expose(void* memory, std::size_t bytes, std::uint64_t key,
                                     const std::optional<device_place>& device = {});
  // For this process's own buffers, where the provider requires that (FI_MR_LOCAL; of device memory
  // FI_MR_HMEM too); else empty. Memory of a device needs the descriptor, without which libfabric
  // would copy it as the host's.
  [[nodiscard]] memory_region expose_locally(void* memory, std::size_t bytes,
                                             const std::optional<device_place>& device = {});
  // What registering comes to: 0 or fi_mr_regattr's code. Nothing stays registered.
  int try_to_register(void* memory, std::size_t bytes, const device_place&) noexcept;
  // What to add to a displacement: the address where the provider counts in addresses, else 0.
  [[nodiscard]] std::uint64_t base_for_peers(const void* memory) const noexcept {
    return (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0
               ? reinterpret_cast<std::uintptr_t>(memory)
               : 0;
  }
  // Returns whether keys and addresses follow from what all ranks have, so that none is exchanged.
  [[nodiscard]] bool keys_are_agreed() const noexcept {
    return (info_->domain_attr->mr_mode & (FI_MR_VIRT_ADDR | FI_MR_PROV_KEY)) == 0 &&
           info_->domain_attr->mr_key_size >= sizeof(std::uint64_t);
  }
  [[nodiscard]] bool wants_local_registration() const noexcept {
    return (info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0;
  }
  [[nodiscard]] bool wants_local_registration_of_devices() const noexcept {
    return (info_->domain_attr->mr_mode & (FI_MR_LOCAL | FI_MR_HMEM)) != 0;
  }
  // Whether the provider promises that messages are not passed by writes before them.
  [[nodiscard]] bool sends_behind_writes() const noexcept {
    return (info_->tx_attr->msg_order & info_->rx_attr->msg_order & FI_ORDER_SAW) != 0;
  }
  // The same of writes and writes before them.
  [[nodiscard]] bool writes_behind_writes() const noexcept {
    return (info_->tx_attr->msg_order & info_->rx_attr->msg_order & FI_ORDER_WAW) != 0;
  }
  // Bytes that a write can carry to its target's completion queue: 4, 8, or 0 where it cannot.
  [[nodiscard]] std::size_t completion_data_bytes() const noexcept {
    const std::size_t bytes = info_->domain_attr->cq_data_size;
    return bytes < 4 ? 0 : bytes < 8 ? 4 : 8;
  }
  [[nodiscard]] std::size_t inject_size() const noexcept { return info_->tx_attr->inject_size; }
  [[nodiscard]] const fi_info& info() const noexcept { return *info_; }
  // For calls of libfabric that a session makes no use of, as oriel-info's atomics.
  [[nodiscard]] fid_ep* raw() const noexcept { return ep_.get(); }
  [[nodiscard]] fid_domain* raw_domain() const noexcept { return shared_->domain.get(); }
  // FI_ADDR_NOTAVAIL where the provider does not take it.
  [[nodiscard]] fi_addr_t raw_address(int rank) const noexcept { return shared_->peers.of(rank); }

  // `data`: with FI_REMOTE_CQ_DATA.
  ssize_t write(const remote_place&, const void* from, std::size_t bytes, void* descriptor,
                std::uint64_t flags, context&, std::uint64_t data = 0) noexcept;
  ssize_t read(const remote_place&, void* to, std::size_t bytes, void* descriptor,
               context&) noexcept;
  ssize_t send(int to, const void* message, std::size_t bytes, void* descriptor, context&) noexcept;
  ssize_t inject(int to, const void* message, std::size_t bytes) noexcept;
  // `from` stays as it is until the bytes have arrived, of which nothing tells. `done` of poll()
  // has the context only where the write fails.
  ssize_t write_quietly(const remote_place&, const void* from, std::size_t bytes, void* descriptor,
                        context&) noexcept;
  ssize_t receive(void* buffer, std::size_t bytes, void* descriptor, context&) noexcept;

  // Completions, and the progress of all that is under way. `done(context&, bytes, code)`; code is
  // 0 or a positive libfabric error. `noted(data)`: a write to this process carried it. Returns how
  // many there were. One thread at a time.
  template <class Done>
  int poll(Done done) noexcept {
    return poll(done, [](std::uint64_t) noexcept {});
  }
  template <class Done, class Noted>
  int poll(Done done, Noted noted) noexcept {
    constexpr int batch = 32;
    // Writes of this process's own may show what they carry, too.
    constexpr std::uint64_t with_data = FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA;
    fi_cq_data_entry entries[batch];
    const ssize_t n = fi_cq_read(cq_.get(), entries, batch);
    if (n == -FI_EAVAIL) {
      fi_cq_err_entry failed{};
      if (fi_cq_readerr(cq_.get(), &failed, 0) == 1 && failed.op_context != nullptr)
        done(*static_cast<context*>(failed.op_context), std::size_t{0}, failed.err);
      return 1;
    }
    for (ssize_t i = 0; i < n; ++i)
      if ((entries[i].flags & with_data) == with_data)
        noted(entries[i].data);
      else if (entries[i].op_context != nullptr)
        done(*static_cast<context*>(entries[i].op_context), entries[i].len, 0);
    return n > 0 ? static_cast<int>(n) : 0;
  }
  // What any thread was doing inside the provider is done, and visible to this one: of a write that
  // it has received a part of, the rest. Progress is made; no completion is taken.
  void catch_up() noexcept {
    fi_cq_data_entry none;
    fi_cq_read(cq_.get(), &none, 0);
  }
  // Nothing is sent or received any more: buffers may go. The first thing to do on the way out.
  // Requires: nothing is arriving.
  void shut() noexcept {
    if (!abandoned_) ep_.reset();
  }
  // The same whatever is on its way. Requires: nothing is posted or polled afterwards.
  void abandon() noexcept;
  // Wakes the threads that sleep, where the provider can.
  void wake() noexcept {
    if (can_sleep()) fi_cq_signal(cq_.get());
  }
  // There is a descriptor that wakes a sleeper at once; else sleep() naps.
  [[nodiscard]] bool can_sleep() const noexcept { return wait_fd_ >= 0; }
  // Sleeps until something has happened, for less than a second; returns false when nothing has, as
  // far as the provider reports.
  bool sleep(std::chrono::microseconds at_most) noexcept { return sleep({}, at_most); }
  // The same at the queues of `more` of the same fabric, too.
  bool sleep(std::span<endpoint* const> more, std::chrono::microseconds at_most) noexcept;
  // The two halves of it: whether nothing has happened that would not wake a sleeper, and where.
  [[nodiscard]] bool may_sleep() noexcept;
  [[nodiscard]] int wait_descriptor() const noexcept { return wait_fd_; }

 private:
  struct transfer;
  // What all endpoints of this process have in common.
  struct common {
    handle<fid_fabric> fabric;
    handle<fid_domain> domain;
    handle<fid_av> av;
    peer_table peers;
  };

  void make(bool sleeps);

  // One registration, bound where the provider requires that. Returns libfabric's code, and in
  // `call` the function that returned it.
  int enter(void* memory, std::size_t bytes, std::uint64_t access, std::uint64_t key,
            const std::optional<device_place>&, handle<fid_mr>& made, const char*& call) noexcept;

  info_list info_;
  std::shared_ptr<common> shared_;
  handle<fid_cq> cq_;
  handle<fid_ep> ep_;
  bool abandoned_ = false;
  int wait_fd_ = -1;  // the completion queue's; -1 when the provider has none
  std::atomic<std::uint64_t> local_keys_{0};  // not exchanged, but different from each other
  std::atomic<std::uint64_t> short_keys_{
      0};  // of all registrations, where keys are shorter than ours
};

}  // namespace oriel::transport
