#include "win/route/run_mail.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "sync/run_list.hpp"
#include "transport/pieces.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/owner_mail.hpp"
#include "win/slots/target.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

// For lists of what a shape has: where the owner can read them too, if they are long.
class list_room {
 public:
  list_room(window_core& core, const shape& s) noexcept : spare_(core.routes.list_room) {
    if (s.count * s.type.size() <= few_.size() / 2) return;
    shared_.emplace(core.routes.room->take());
    if (!*shared_) many_ = spare_.take(sync::longest_named_list);
  }
  ~list_room() { spare_.give(std::move(many_)); }
  list_room(const list_room&) = delete;
  list_room& operator=(const list_room&) = delete;
  [[nodiscard]] const request_room::turn* shared() const noexcept {
    return shared_ && *shared_ ? &*shared_ : nullptr;
  }
  [[nodiscard]] std::span<std::byte> all() noexcept {
    return shared() != nullptr ? shared_->operands()
           : many_ == nullptr  ? std::span(few_)
                               : std::span(many_.get(), sync::longest_named_list);
  }

 private:
  std::array<std::byte, sync::mail_payload> few_;
  std::optional<request_room::turn> shared_;
  std::unique_ptr<std::byte[]> many_;
  spare_room& spare_;
};

// Requests for runs of one target, gathered in `room`, which is `shared` where it is the owner's
// too.
class run_sender {
 public:
  run_sender(window_core& core, const target& at, sync::am_request asked, std::byte* results,
             std::span<std::byte> room, const request_room::turn* shared = nullptr) noexcept
      : core_(core), at_(at), asked_(asked), results_(results), shared_(shared), list_(room) {}

  // Longer blocks go by themselves.
  [[nodiscard]] std::size_t longest() const noexcept {
    return shared_ == nullptr ? long_piece : longest_in_room;
  }
  errc add(std::uint64_t address, std::ptrdiff_t stride_there, const std::byte* from,
           std::ptrdiff_t stride, std::size_t bytes, std::size_t blocks) noexcept {
    while (blocks != 0) {
      const std::size_t some = std::min(blocks, list_.room_for(bytes));
      if (some == 0) {
        if (const errc e = send(); e != errc::success) return e;
        continue;
      }
      const sync::block_run r{address, static_cast<std::uint32_t>(bytes),
                              static_cast<std::uint32_t>(some), stride_there};
      copy_blocks(from, stride, list_.add(r), static_cast<std::ptrdiff_t>(bytes), bytes, some);
      data_ += some * bytes;
      from = moved(from, static_cast<std::ptrdiff_t>(some) * stride);
      address += static_cast<std::uint64_t>(some) * static_cast<std::uint64_t>(stride_there);
      blocks -= some;
    }
    return errc::success;
  }
  // The same of blocks that follow one another here: the owner reads them where they are.
  errc add_dense(std::uint64_t address, std::ptrdiff_t stride_there, const std::byte* from,
                 std::size_t bytes, std::size_t blocks) noexcept {
    if (const errc e = send(); e != errc::success) return e;
    const std::size_t at_once = (sync::longest_named_list - sizeof(sync::block_run)) / bytes;
    return transport::in_pieces(blocks, at_once, [&](std::size_t done, std::size_t n) noexcept {
      const sync::block_run r{address + done * static_cast<std::uint64_t>(stride_there),
                              static_cast<std::uint32_t>(bytes), static_cast<std::uint32_t>(n),
                              stride_there};
      sync::am_request m = asked_;
      m.is_split = true;
      m.elements = static_cast<std::uint32_t>(sizeof r + n * bytes);
      const std::byte* const first = from + done * bytes;
      const errc e = n == 1 ? errc::system
                            : ask_owner_far(core_, at_, m, first, m.elements,
                                            const_cast<sync::block_run*>(&r));
      return e != errc::system ? e
                               : add(r.address, stride_there, first,
                                     static_cast<std::ptrdiff_t>(bytes), bytes, n);
    });
  }
  // Those so far.
  errc send() noexcept {
    if (list_.bytes() == 0) return errc::success;
    asked_.elements = static_cast<std::uint32_t>(list_.bytes());
    const errc e = ask();
    take_results(std::exchange(data_, 0));
    list_.clear();
    return e;
  }
  [[nodiscard]] bool may_split() const noexcept {
    return results_ == nullptr && shared_ == nullptr;
  }
  // Where those of the next block go; null: they are not wanted. Requires: all are sent.
  std::byte* take_results(std::size_t bytes) noexcept {
    return results_ == nullptr ? nullptr : std::exchange(results_, results_ + bytes);
  }

 private:
  static constexpr std::size_t longest_in_room = 16384;

  errc ask() noexcept {
    const std::size_t replied = results_ == nullptr ? 0 : data_;
    if (shared_ != nullptr) return ask_owner_near(core_, at_, asked_, *shared_, results_, replied);
    const errc e = ask_owner_far(core_, at_, asked_, list_.data(), list_.bytes(), results_);
    if (e != errc::system) return e;
    return list_.bytes() > sync::mail_payload
               ? send_in_mails()
               : ask_owner(core_, at_, asked_, list_.data(), list_.bytes(), results_, replied);
  }
  errc send_in_mails() noexcept {
    std::array<std::byte, sync::mail_payload> room;
    run_sender mails(core_, at_, asked_, results_, room);
    const errc e = sync::run_list::for_each(
        list_.data(), list_.bytes(),
        [&](const sync::block_run& r, const std::byte* bytes) noexcept {
          return mails.add(r.address, r.stride, bytes, static_cast<std::ptrdiff_t>(r.bytes),
                           r.bytes, r.blocks);
        });
    return e == errc::success ? mails.send() : e;
  }

  window_core& core_;
  const target& at_;
  sync::am_request asked_;
  std::byte* results_;
  const request_room::turn* shared_;
  std::size_t data_ = 0;
  sync::run_list list_;
};

sync::am_request make_request(sync::am_kind kind) noexcept {
  sync::am_request m;
  m.kind = kind;
  return m;
}

// Calls `send_long(from, to, bytes)` for blocks that are long, after what is before them.
template <class SendLong>
errc send_runs(run_sender& sender, const target& at, const std::byte* origin, const shape& here,
               const shape& there, SendLong send_long) noexcept {
  const errc e = for_each_blocks(
      here, there,
      [&](std::ptrdiff_t from, std::ptrdiff_t stride, std::ptrdiff_t to,
          std::ptrdiff_t stride_there, primitive, std::size_t bytes, std::size_t blocks) noexcept {
        if (bytes < sender.longest() && stride == static_cast<std::ptrdiff_t>(bytes) &&
            sender.may_split())
          return sender.add_dense(at.address + static_cast<std::uint64_t>(to), stride_there,
                                  moved(origin, from), bytes, blocks);
        if (bytes < sender.longest())
          return sender.add(at.address + static_cast<std::uint64_t>(to), stride_there,
                            moved(origin, from), stride, bytes, blocks);
        for (; blocks != 0; --blocks, from += stride, to += stride_there) {
          errc done = sender.send();
          if (done == errc::success) done = send_long(moved(origin, from), to, bytes);
          if (done != errc::success) return done;
        }
        return errc::success;
      });
  return e == errc::success ? sender.send() : e;
}

}  // namespace

errc put_runs_by_mail(window_core& core, const target& at, const std::byte* origin,
                      const shape& here, const shape& there, put_block put_long) noexcept {
  list_room room(core, there);
  run_sender sender(core, at, make_request(sync::am_kind::put_runs), nullptr, room.all(),
                    room.shared());
  const errc e =
      send_runs(sender, at, origin, here, there,
                [&](const std::byte* from, std::ptrdiff_t to, std::size_t bytes) noexcept {
                  return put_long(core, at, to, from, bytes, nullptr);
                });
  return latched(core, e, at.owner, "put");
}

errc accumulate_runs_by_mail(window_core& core, const target& at, const shaped_accumulation& a,
                             tracker*) noexcept {
  sync::am_request m = make_request(a.results == nullptr ? sync::am_kind::accumulate_runs
                                                         : sync::am_kind::get_accumulate_runs);
  m.op = a.op;
  m.type = a.type;
  list_room room(core, *a.there);
  run_sender sender(core, at, m, a.results, room.all(), room.shared());
  const errc e = send_runs(
      sender, at, a.origin, *a.here, *a.there,
      [&](const std::byte* from, std::ptrdiff_t to, std::size_t bytes) noexcept {
        const accumulation one{
            a.op, a.type, from, sender.take_results(bytes), bytes / size_of(a.type), nullptr};
        return accumulate_by_mail(core, at, to, one, nullptr);
      });
  return latched(core, e, at.owner, "an accumulate of a layout");
}

}  // namespace oriel::win
