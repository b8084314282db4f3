// A leader that runs alone meets the other ranks of its node here, as the linker has these called
// in the place of the library's: they have come already, with the same call, and say what the
// leader says. Whatever goes between nodes, and the size of each table, is that of a node with all
// its ranks. Where all ranks run these are the library's own.
#include "tests/sim/scale/stand_ins.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "session/team/collectives.hpp"
#include "session/team/shrink_board.hpp"
#include "tests/sim/scale/meter.hpp"

namespace oriel::sim {
namespace {

using sessions::collective_call;
using sessions::node_collectives;

bool are_stood_for() noexcept {
  return meter::of_run().stride() > 1;
}

}  // namespace
}  // namespace oriel::sim

// By the names that the compiler gives to members.
extern "C" {

using namespace oriel;

// node_barrier::central: all others have come.
errc __real__ZN5oriel4sync12node_barrier7centralEm(sync::node_barrier*, std::uint64_t) noexcept;
errc __wrap__ZN5oriel4sync12node_barrier7centralEm(sync::node_barrier* barrier,
                                                   std::uint64_t signature) noexcept {
  return sim::are_stood_for() ? errc::success
                              : __real__ZN5oriel4sync12node_barrier7centralEm(barrier, signature);
}

// shrink_board::has_signed_in, is_ready: all others have, and are.
bool __real__ZNK5oriel8sessions12shrink_board13has_signed_inEij(const sessions::shrink_board*, int,
                                                                std::uint32_t) noexcept;
bool __wrap__ZNK5oriel8sessions12shrink_board13has_signed_inEij(const sessions::shrink_board* board,
                                                                int r,
                                                                std::uint32_t turn) noexcept {
  return (sim::are_stood_for() && r != 0) ||
         __real__ZNK5oriel8sessions12shrink_board13has_signed_inEij(board, r, turn);
}
bool __real__ZNK5oriel8sessions12shrink_board8is_readyEi(const sessions::shrink_board*,
                                                         int) noexcept;
bool __wrap__ZNK5oriel8sessions12shrink_board8is_readyEi(const sessions::shrink_board* board,
                                                         int r) noexcept {
  return __real__ZNK5oriel8sessions12shrink_board8is_readyEi(board, sim::are_stood_for() ? 0 : r);
}

// node_collectives::combine: of values that are alike the leader's is what they merge to.
errc __real__ZN5oriel8sessions16node_collectives7combineERKNS0_15collective_callEPvmPFvS5_PKvE(
    sim::node_collectives*, const sim::collective_call&, void*, std::size_t,
    sim::node_collectives::merge_function) noexcept;
errc __wrap__ZN5oriel8sessions16node_collectives7combineERKNS0_15collective_callEPvmPFvS5_PKvE(
    sim::node_collectives* node, const sim::collective_call& call, void* value, std::size_t bytes,
    sim::node_collectives::merge_function merge) noexcept {
  return sim::are_stood_for()
             ? node->barrier(call.of(bytes))
             : __real__ZN5oriel8sessions16node_collectives7combineERKNS0_15collective_callEPvmPFvS5_PKvE(
                   node, call, value, bytes, merge);
}

// node_collectives::allgather: each has what the leader has.
errc __real__ZN5oriel8sessions16node_collectives9allgatherERKNS0_15collective_callEPKvmPv(
    sim::node_collectives*, const sim::collective_call&, const void*, std::size_t, void*) noexcept;
errc __wrap__ZN5oriel8sessions16node_collectives9allgatherERKNS0_15collective_callEPKvmPv(
    sim::node_collectives* node, const sim::collective_call& call, const void* mine,
    std::size_t bytes, void* all) noexcept {
  if (!sim::are_stood_for())
    return __real__ZN5oriel8sessions16node_collectives9allgatherERKNS0_15collective_callEPKvmPv(
        node, call, mine, bytes, all);
  if (const errc e = node->barrier(call.of(bytes)); e != errc::success) return e;
  for (int r = 0; all != nullptr && r < sim::meter::of_run().stride(); ++r)
    std::memcpy(static_cast<std::byte*>(all) + static_cast<std::size_t>(r) * bytes, mine, bytes);
  return errc::success;
}
}
