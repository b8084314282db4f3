#include "win/route/cma_layouts.hpp"

#include <array>
#include <cstring>
#include <utility>

#include "transport/pieces.hpp"
#include "win/datatype/layout_walk.hpp"
#include "win/route/cma.hpp"
#include "win/route/cma_pieces.hpp"
#include "win/route/get_runs.hpp"
#include "win/route/owner_mail.hpp"
#include "win/slots/target.hpp"

namespace oriel::win {
namespace {

// Between two pieces that are read with what is between them.
constexpr std::uint64_t widest_gap = 1024;
// For fewer the owner's agent may have to be woken for longer than the kernel takes.
constexpr std::size_t worth_a_list = 32;

std::size_t first_piece(const shape& here, const shape& there) noexcept {
  return std::min(layout_cursor(here).bytes(), layout_cursor(there).bytes());
}

template <class Move>
errc in_pieces(const target& at, const std::byte* buffer, const shape& here, const shape& there,
               Move move) noexcept {
  pieces some;
  const errc e = for_each_pair(
      here, there,
      [&](std::ptrdiff_t from, std::ptrdiff_t to, primitive, std::size_t bytes) noexcept {
        some.add(moved(buffer, from), at.address + static_cast<std::uint64_t>(to), bytes);
        return some.full() ? some.move(move) : errc::success;
      });
  return e != errc::success || some.empty() ? e : some.move(move);
}

// Reads a stretch of the peer's memory, and lays out the pieces in it.
class stretch_reader {
 public:
  explicit stretch_reader(pid_t owner) noexcept : owner_(owner) {}
  errc add(std::byte* here, std::uint64_t there, std::size_t bytes) noexcept {
    if (bytes > room_.size()) return transport::cma_read(owner_, there, here, bytes);
    const bool joins = used_ != 0 && used_ != pieces_.size() && there >= end_ &&
                       there - end_ <= widest_gap && there + bytes - begin_ <= room_.size();
    if (!joins) {
      if (const errc e = read(); e != errc::success) return e;
      begin_ = there;
    }
    end_ = there + bytes;
    pieces_[used_++] = {here, there - begin_, bytes};
    return errc::success;
  }
  // Blocks at equal distances; those of many need no list of where they are.
  errc add(std::byte* here, std::ptrdiff_t stride_here, std::uint64_t there, std::ptrdiff_t stride,
           std::size_t bytes, std::size_t blocks) noexcept {
    const auto apart = static_cast<std::size_t>(stride);
    const bool near = stride > 0 && apart <= bytes + widest_gap && bytes <= widest_gap;
    if (!near || blocks < many) {
      for (; blocks != 0; --blocks, here = moved(here, stride_here)) {
        if (const errc e = add(here, there, bytes); e != errc::success) return e;
        there += apart;
      }
      return errc::success;
    }
    if (const errc e = read(); e != errc::success) return e;
    return transport::in_pieces(
        blocks, (room_.size() - bytes) / apart + 1, [&](std::size_t done, std::size_t n) noexcept {
          const errc e = transport::cma_read(owner_, there + done * apart, room_.data(),
                                             (n - 1) * apart + bytes);
          if (e == errc::success)
            copy_blocks(room_.data(), stride,
                        moved(here, static_cast<std::ptrdiff_t>(done) * stride_here), stride_here,
                        bytes, n);
          return e;
        });
  }
  errc read() noexcept {
    const std::size_t n = std::exchange(used_, 0);
    if (n == 0) return errc::success;
    const errc e = transport::cma_read(owner_, begin_, room_.data(), end_ - begin_);
    for (std::size_t i = 0; e == errc::success && i < n; ++i)
      std::memcpy(pieces_[i].here, room_.data() + pieces_[i].offset, pieces_[i].bytes);
    return e;
  }

 private:
  static constexpr std::size_t many = 8;
  struct piece {
    std::byte* here;
    std::uint64_t offset;
    std::size_t bytes;
  };
  pid_t owner_;
  std::uint64_t begin_ = 0, end_ = 0;
  std::size_t used_ = 0;
  std::array<piece, 256> pieces_;
  std::array<std::byte, 32768> room_;
};

errc get_in_stretches(pid_t owner, const target& at, std::byte* result, const shape& here,
                      const shape& there) noexcept {
  stretch_reader reader(owner);
  const errc e = add_all(reader, at, result, here, there);
  return e == errc::success ? reader.read() : e;
}

// By an owner that collects them sooner than this process reads them with what is between them, and
// lays them out. Returns system, with nothing done, where that is not so.
errc get_collected(window_core& core, const target& at, std::byte* result, const shape& here,
                   const shape& there) noexcept {
  constexpr int copies = 2;
  const std::size_t piece = first_piece(here, there), bytes = there.count * there.type.size();
  const std::size_t owner = core.node_rank(at.owner),
                    judged = std::min(bytes, prompt_owners::longest);
  if (piece >= long_piece || bytes / piece < worth_a_list ||
      !core.routes.prompt->worth_asking(owner, judged))
    return errc::system;
  return core.routes.prompt->measure(
      owner, bytes, [&]() noexcept { return get_runs_by_mail(core, at, result, here, there); },
      copies);
}

}  // namespace

errc put_layout_cma(window_core& core, const target& at, const std::byte* origin, const shape& here,
                    const shape& there, tracker*) noexcept {
  if (const errc e = clear_way(core, at.owner); e != errc::success) return e;
  const pid_t owner = process_of(core, at.owner);
  const std::size_t piece = first_piece(here, there);
  if (piece < long_piece && there.count * there.type.size() / piece >= worth_a_list)
    return put_runs_by_mail(core, at, origin, here, there, put_cma);
  const errc e = in_pieces(at, origin, here, there, [owner](auto remote, auto local) noexcept {
    return transport::cma_write_pieces(owner, remote, local);
  });
  if (e == errc::system) return put_runs_by_mail(core, at, origin, here, there, put_by_mail);
  return latched(core, e, at.owner, "put");
}

errc get_layout_cma(window_core& core, const target& at, std::byte* result, const shape& here,
                    const shape& there, tracker*) noexcept {
  if (const errc e = clear_way(core, at.owner); e != errc::success) return e;
  if (const errc e = get_collected(core, at, result, here, there); e != errc::system) return e;
  const pid_t owner = process_of(core, at.owner);
  const errc e =
      first_piece(here, there) < long_piece
          ? get_in_stretches(owner, at, result, here, there)
          : in_pieces(at, result, here, there, [owner](auto remote, auto local) noexcept {
              return transport::cma_read_pieces(owner, remote, local);
            });
  if (e != errc::system) return latched(core, e, at.owner, "get");
  return for_each_pair(
      here, there,
      [&](std::ptrdiff_t to, std::ptrdiff_t from, primitive, std::size_t bytes) noexcept {
        return get_by_mail(core, at, from, moved(result, to), bytes, nullptr);
      });
}

}  // namespace oriel::win
