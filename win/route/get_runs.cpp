#include "win/route/get_runs.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sync/run_list.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/owner_mail.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

class run_getter {
 public:
  run_getter(window_core& core, const target& at, const request_room::turn& room) noexcept
      : core_(core), at_(at), room_(room) {}

  errc add(std::byte* here, std::ptrdiff_t stride, std::uint64_t address,
           std::ptrdiff_t stride_there, std::size_t bytes, std::size_t blocks) noexcept {
    // One that is longer than the room is got in parts.
    while (bytes > request_room::bytes) {
      constexpr std::size_t part = request_room::bytes;
      for (std::size_t b = 0; b < blocks; ++b) {
        const auto n = static_cast<std::ptrdiff_t>(b);
        if (const errc e = add(moved(here, n * stride), 0,
                               address + static_cast<std::uint64_t>(n * stride_there), 0, part, 1);
            e != errc::success)
          return e;
      }
      here += part;
      address += part;
      bytes -= part;
    }
    while (blocks != 0) {
      const std::size_t some = std::min(blocks, (request_room::bytes - got_) / bytes);
      if (some == 0 || runs_ == wanted_.size()) {
        if (const errc e = get(); e != errc::success) return e;
        continue;
      }
      wanted_[runs_] = {address, static_cast<std::uint32_t>(bytes),
                        static_cast<std::uint32_t>(some), stride_there};
      places_[runs_++] = {here, stride};
      got_ += some * bytes;
      here = moved(here, static_cast<std::ptrdiff_t>(some) * stride);
      address += static_cast<std::uint64_t>(static_cast<std::ptrdiff_t>(some) * stride_there);
      blocks -= some;
    }
    return errc::success;
  }
  // Those so far.
  errc get() noexcept {
    const std::size_t n = std::exchange(runs_, 0);
    got_ = 0;
    if (n == 0) return errc::success;
    sync::am_request m;
    m.kind = sync::am_kind::get_runs;
    m.elements = static_cast<std::uint32_t>(n * sizeof(sync::block_run));
    std::memcpy(room_.operands().data(), wanted_.data(), m.elements);
    const errc e = ask_owner_near(core_, at_, m, room_, nullptr, 0);
    const std::byte* from = room_.results();
    for (std::size_t i = 0; e == errc::success && i < n; ++i) {
      const sync::block_run& r = wanted_[i];
      copy_blocks(from, static_cast<std::ptrdiff_t>(r.bytes), places_[i].here, places_[i].stride,
                  r.bytes, r.blocks);
      from += std::size_t{r.bytes} * r.blocks;
    }
    return e;
  }

 private:
  struct place {
    std::byte* here;
    std::ptrdiff_t stride;
  };
  static constexpr std::size_t at_once = 256;

  window_core& core_;
  const target& at_;
  const request_room::turn& room_;
  std::array<sync::block_run, at_once> wanted_;
  std::array<place, at_once> places_;
  std::size_t runs_ = 0;
  std::size_t got_ = 0;  // bytes
};

}  // namespace

errc get_runs_by_mail(window_core& core, const target& at, std::byte* result, const shape& here,
                      const shape& there) noexcept {
  const request_room::turn room = core.routes.room->take();
  if (!room) return errc::system;
  run_getter getter(core, at, room);
  const errc e = add_all(getter, at, result, here, there);
  return latched(core, e == errc::success ? getter.get() : e, at.owner, "get");
}

}  // namespace oriel::win
