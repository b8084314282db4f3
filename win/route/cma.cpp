// A peer's private memory, which the kernel copies (process_vm_readv, process_vm_writev). Atomics
// are the owner's.
#include "transport/cma.hpp"

#include <array>
#include <span>
#include <utility>

#include "win/datatype/layout_walk.hpp"
#include "win/route/known_routes.hpp"
#include "win/route/owner_mail.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

offer probe_cma(assertion_set promised, const peer_facts& peer) noexcept {
  const bool allowed = peer.where == place::private_memory && peer.cma;
  return shares_node(promised, peer) && allowed
             ? offer{50, "its memory is private: use session::alloc_mem to have it mapped"}
             : offer{};
}

pid_t process_of(const window_core& core, const target& at) noexcept {
  return core.group->session().job().pid_of(core.group->world_rank(at.owner.value));
}

// The owner copies where the kernel refuses, but not memory that the kernel does not find:
// its agent would fault on it.
errc put_cma(window_core& core, const target& at, std::ptrdiff_t offset, const void* from,
             std::size_t bytes, tracker* also) noexcept {
  const errc e = transport::cma_write(process_of(core, at),
                                      at.address + static_cast<std::uint64_t>(offset), from, bytes);
  if (e == errc::system) return put_by_mail(core, at, offset, from, bytes, also);
  return latched(core, e, at.owner, "put");
}

errc get_cma(window_core& core, const target& at, std::ptrdiff_t offset, void* to,
             std::size_t bytes, tracker* also) noexcept {
  const errc e = transport::cma_read(process_of(core, at),
                                     at.address + static_cast<std::uint64_t>(offset), to, bytes);
  if (e == errc::system) return get_by_mail(core, at, offset, to, bytes, also);
  return latched(core, e, at.owner, "get");
}

// The pieces of a layout, as many at a time as one system call takes.
class pieces {
 public:
  [[nodiscard]] bool full() const noexcept { return used_ == here_.size(); }
  [[nodiscard]] bool empty() const noexcept { return used_ == 0; }
  void add(const std::byte* here, std::uint64_t there, std::size_t bytes) noexcept {
    here_[used_] = {const_cast<std::byte*>(here), bytes};
    there_[used_] = {reinterpret_cast<void*>(there), bytes};  // NOLINT: another address space
    ++used_;
  }
  template <class Move>
  errc move(Move f) noexcept {
    const std::size_t n = std::exchange(used_, 0);
    return f(std::span(there_.data(), n), std::span(here_.data(), n));
  }

 private:
  std::size_t used_ = 0;
  std::array<iovec, transport::most_cma_pieces> here_;
  std::array<iovec, transport::most_cma_pieces> there_;
};

// `move` many pieces at a time; where the kernel refuses, `one` after the other by the owner.
template <class Move, class One>
errc in_pieces(window_core& core, const target& at, const std::byte* buffer, const shape& here,
               const shape& there, const char* what, Move move, One one) noexcept {
  pieces some;
  errc e = for_each_pair(
      here, there,
      [&](std::ptrdiff_t from, std::ptrdiff_t to, primitive, std::size_t bytes) noexcept {
        some.add(moved(buffer, from), at.address + static_cast<std::uint64_t>(to), bytes);
        return some.full() ? some.move(move) : errc::success;
      });
  if (e == errc::success && !some.empty()) e = some.move(move);
  if (e != errc::system) return latched(core, e, at.owner, what);
  return for_each_pair(here, there,
                       [&](std::ptrdiff_t from, std::ptrdiff_t to, primitive,
                           std::size_t bytes) noexcept { return one(to, from, bytes); });
}

errc put_shape_cma(window_core& core, const target& at, const std::byte* origin, const shape& here,
                   const shape& there) noexcept {
  const pid_t owner = process_of(core, at);
  return in_pieces(
      core, at, origin, here, there, "put",
      [owner](auto remote, auto local) noexcept {
        return transport::cma_write_pieces(owner, remote, local);
      },
      [&](std::ptrdiff_t to, std::ptrdiff_t from, std::size_t bytes) noexcept {
        return put_by_mail(core, at, to, moved(origin, from), bytes, nullptr);
      });
}

errc get_shape_cma(window_core& core, const target& at, std::byte* result, const shape& here,
                   const shape& there) noexcept {
  const pid_t owner = process_of(core, at);
  return in_pieces(
      core, at, result, here, there, "get",
      [owner](auto remote, auto local) noexcept {
        return transport::cma_read_pieces(owner, remote, local);
      },
      [&](std::ptrdiff_t to, std::ptrdiff_t from, std::size_t bytes) noexcept {
        return get_by_mail(core, at, to, moved(result, from), bytes, nullptr);
      });
}

}  // namespace

constinit const route routes::cma = refine(mail_route, [](route& r) {
  r.name = "cma";
  r.probe = probe_cma;
  r.put = put_cma;
  r.get = get_cma;
  r.put_shape = put_shape_cma;
  r.get_shape = get_shape_cma;
});

}  // namespace oriel::win
