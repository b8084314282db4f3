#include "win/route/remote_runs.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <span>
#include <utility>
#include <vector>

#include "sync/run_list.hpp"
#include "transport/leaving_room.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/remote_window.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

using transport::longest_payload;

// What is worth a run of its own, to fill a message.
constexpr std::size_t worth_cutting = 1024;

// Equal blocks, here and there.
struct block_pairs {
  std::byte* here;  // not written to by puts
  std::ptrdiff_t stride;
  std::uint64_t there;
  std::ptrdiff_t stride_there;
  std::size_t bytes;
  std::size_t blocks;

  [[nodiscard]] block_pairs first(std::size_t n) const noexcept {
    block_pairs some = *this;
    some.blocks = n;
    return some;
  }
  // `part` bytes of the first block.
  [[nodiscard]] block_pairs part(std::size_t done, std::size_t part) const noexcept {
    return {here + done, 0, there + done, 0, part, 1};
  }
  void drop(std::size_t n) noexcept {
    here = moved(here, static_cast<std::ptrdiff_t>(n) * stride);
    there += n * static_cast<std::uint64_t>(stride_there);
    blocks -= n;
  }
};

// Adds blocks to messages, each of which is sent when it has no room left.
template <class Message>
errc add_blocks(Message& m, block_pairs all) noexcept {
  while (all.blocks != 0) {
    if (const std::size_t some = std::min(all.blocks, m.room_for(all.bytes)); some != 0) {
      if (const errc e = m.take(all.first(some)); e != errc::success) return e;
      all.drop(some);
      continue;
    }
    if (all.bytes < worth_cutting) {
      if (const errc e = m.send(); e != errc::success) return e;
      continue;
    }
    for (std::size_t done = 0; done < all.bytes;) {
      const std::size_t left = all.bytes - done;
      const std::size_t part = std::min(left, m.longest_block());
      const bool fits = part == left || part >= worth_cutting;
      const errc e = fits ? m.take(all.part(done, part)) : m.send();
      if (e != errc::success) return e;
      if (fits) done += part;
    }
    all.drop(1);
  }
  return errc::success;
}

// Calls f(block_pairs) for all that the shapes lay out, in typemap order.
template <class F>
errc for_each_block_pairs(const target& at, const std::byte* buffer, const shape& here,
                          const shape& there, F f) noexcept {
  return for_each_blocks(
      here, there,
      [&](std::ptrdiff_t near, std::ptrdiff_t stride, std::ptrdiff_t far,
          std::ptrdiff_t stride_there, primitive, std::size_t bytes, std::size_t blocks) noexcept {
        block_pairs all{const_cast<std::byte*>(moved(buffer, near)),
                        stride,
                        at.address + static_cast<std::uint64_t>(far),
                        stride_there,
                        bytes,
                        blocks};
        const auto dense = static_cast<std::ptrdiff_t>(bytes);
        if (stride == dense && stride_there == dense)
          all = all.part(0, bytes * blocks);  // they touch
        return f(all);
      });
}

// Lists of runs and what is put there, or the operands.
class run_bringer {
 public:
  run_bringer(window_core& core, const target& at, remote_call call, const runs_request& what,
              std::byte* results, tracker* also) noexcept
      : core_(core),
        at_(at),
        call_(call),
        what_(what),
        results_(results),
        also_(also),
        longest_(call == remote_call::put_runs ? core.routes.remote->way().longest_out_of_order()
                                               : core.routes.remote->way().longest_in_order(
                                                     core.group->world_rank(at.owner.value))),
        room_(core.routes.remote->way()),
        list_(room_.own().first(longest_)) {}

  [[nodiscard]] std::size_t room_for(std::size_t bytes) const noexcept {
    return list_.room_for(bytes);
  }
  [[nodiscard]] std::size_t longest_block() const noexcept {
    return list_.longest_block(call_ == remote_call::put_runs ? 1 : size_of(what_.type));
  }
  errc take(const block_pairs& some) noexcept {
    if (list_.bytes() == 0 && some.bytes * some.blocks >= worth_cutting)
      list_ = sync::run_list(room_.begin().first(longest_));
    const sync::block_run run{some.there, static_cast<std::uint32_t>(some.bytes),
                              static_cast<std::uint32_t>(some.blocks), some.stride_there};
    copy_blocks(some.here, some.stride, list_.add(run), static_cast<std::ptrdiff_t>(some.bytes),
                some.bytes, some.blocks);
    data_ += some.bytes * some.blocks;
    return errc::success;
  }
  errc send() noexcept {
    if (list_.bytes() == 0) return errc::success;
    const std::size_t replied = results_ == nullptr ? 0 : data_;
    const errc e = core_.routes.remote->request_runs(
        at_.owner, call_, what_, {list_.data(), list_.bytes()}, results_, replied, also_);
    room_.left();
    if (results_ != nullptr) results_ += replied;
    data_ = 0;
    list_ = sync::run_list(room_.own().first(longest_));
    return latched(core_, e, at_.owner,
                   call_ == remote_call::put_runs ? "put" : "an accumulate of a layout");
  }

 private:
  window_core& core_;
  const target& at_;
  remote_call call_;
  runs_request what_;
  std::byte* results_;
  tracker* also_;
  std::size_t data_ = 0;
  std::size_t longest_;  // puts may pass each other, accumulates may not
  transport::leaving_room room_;
  sync::run_list list_;
};

// Where an answer's bytes go.
struct result_blocks {
  std::byte* first;
  std::ptrdiff_t stride;
  std::size_t bytes;
  std::size_t blocks;
};

class scattered_result final : public transport::answer_sink {
 public:
  scattered_result(std::vector<result_blocks> parts, std::size_t bytes) noexcept
      : parts_(std::move(parts)), bytes_(bytes) {}
  void take(std::span<const std::byte> answer) noexcept override {
    if (answer.size() != bytes_) return;
    const std::byte* from = answer.data();
    for (const result_blocks& p : parts_) {
      copy_blocks(from, static_cast<std::ptrdiff_t>(p.bytes), p.first, p.stride, p.bytes, p.blocks);
      from += p.bytes * p.blocks;
    }
  }

 private:
  std::vector<result_blocks> parts_;
  std::size_t bytes_;
};

// Lists of runs that are read.
class run_reader {
 public:
  run_reader(window_core& core, const target& at, tracker* also) noexcept
      : core_(core),
        at_(at),
        also_(also),
        longest_(core.routes.remote->way().longest_out_of_order()) {}

  [[nodiscard]] std::size_t room_for(std::size_t bytes) const noexcept {
    return longest_block() / bytes;
  }
  [[nodiscard]] std::size_t longest_block() const noexcept {
    return runs_ == list_.size() ? 0 : longest_ - bytes_;
  }
  errc take(const block_pairs& some) noexcept {
    list_[runs_++] = {some.there, static_cast<std::uint32_t>(some.bytes),
                      static_cast<std::uint32_t>(some.blocks), some.stride_there};
    const std::size_t bytes = some.bytes * some.blocks;
    bytes_ += bytes;
    const bool dense = some.blocks == 1 || some.stride == static_cast<std::ptrdiff_t>(some.bytes);
    if (dense && !parts_.empty() && parts_.back().blocks == 1 &&
        parts_.back().first + parts_.back().bytes == some.here) {
      parts_.back().bytes += bytes;
      return errc::success;
    }
    try {
      parts_.push_back(dense ? result_blocks{some.here, 0, bytes, 1}
                             : result_blocks{some.here, some.stride, some.bytes, some.blocks});
    } catch (const std::bad_alloc&) {
      return no_room();
    }
    return errc::success;
  }
  errc send() noexcept {
    if (runs_ == 0) return errc::success;
    const std::span list(list_.data(), std::exchange(runs_, 0));
    const std::size_t bytes = std::exchange(bytes_, 0);
    remote_window& far = *core_.routes.remote;
    errc e = errc::success;
    if (parts_.size() == 1 && parts_[0].blocks == 1) {
      e = far.request_runs(at_.owner, remote_call::get_runs, {}, std::as_bytes(list),
                           parts_[0].first, bytes, also_);
      parts_.clear();
    } else {
      std::unique_ptr<scattered_result> sink(
          new (std::nothrow) scattered_result(std::exchange(parts_, {}), bytes));
      if (sink == nullptr) return no_room();
      e = far.get_runs(at_.owner, std::as_bytes(list), std::move(sink), also_);
    }
    return latched(core_, e, at_.owner, "get");
  }

 private:
  errc no_room() noexcept { return core_.fail(errc::no_mem, "get: no room for what is read"); }

  window_core& core_;
  const target& at_;
  tracker* also_;
  std::size_t longest_;  // of an answer
  std::size_t runs_ = 0;
  std::size_t bytes_ = 0;  // that are read
  std::array<sync::block_run, longest_payload / sizeof(sync::block_run)> list_;
  std::vector<result_blocks> parts_;
};

// Those that are long by `move`, the others in messages.
template <class Message, class Move>
errc move_shape(Message& m, const target& at, const std::byte* buffer, const shape& here,
                const shape& there, Move move) noexcept {
  const errc e = for_each_block_pairs(at, buffer, here, there, [&](block_pairs all) noexcept {
    if (all.bytes < long_far_block) return add_blocks(m, all);
    for (; all.blocks != 0; all.drop(1))
      if (const errc e = move(static_cast<std::ptrdiff_t>(all.there - at.address), all);
          e != errc::success)
        return e;
    return errc::success;
  });
  return e == errc::success ? m.send() : e;
}

}  // namespace

errc put_shape_remote(window_core& core, const target& at, const std::byte* origin,
                      const shape& here, const shape& there, tracker* also) noexcept {
  run_bringer messages(core, at, remote_call::put_runs, {}, nullptr, also);
  return move_shape(messages, at, origin, here, there,
                    [&](std::ptrdiff_t to, const block_pairs& b) noexcept {
                      return at.by->put(core, at, to, b.here, b.bytes, also);
                    });
}

errc get_shape_remote(window_core& core, const target& at, std::byte* result, const shape& here,
                      const shape& there, tracker* also) noexcept {
  run_reader messages(core, at, also);
  return move_shape(messages, at, result, here, there,
                    [&](std::ptrdiff_t from, const block_pairs& b) noexcept {
                      return at.by->get(core, at, from, b.here, b.bytes, also);
                    });
}

// All in messages, since the elements' order is the messages'.
errc accumulate_shape_remote(window_core& core, const target& at, const shaped_accumulation& a,
                             tracker* also) noexcept {
  const auto call =
      a.results == nullptr ? remote_call::accumulate_runs : remote_call::get_accumulate_runs;
  run_bringer messages(core, at, call, {a.op, a.type}, a.results, also);
  const errc e = for_each_block_pairs(at, a.origin, *a.here, *a.there, [&](const block_pairs& all) {
    return add_blocks(messages, all);
  });
  return e == errc::success ? messages.send() : e;
}

}  // namespace oriel::win
