// Short messages, and long ones, as remote writes. A lane is a ring of lines in the memory of one
// rank, which one other writes, and its owner looks at when it makes progress. No receive is posted
// for them, and nothing completes: over tcp a message in a line takes two thirds of the time of one
// that is sent.
//
// Two ranks that speak often give each other one, both ways: each offers its memory in a message.
// A short message that finds no room in a lane is sent as other messages are.
//
// Long messages are written too, each with a line behind it, where lines of its turn are looked for
// besides: the provider would copy them in segments, at both ends. They wait for room, and so keep
// the order that they would lose as messages.
//
// Order. One rank's messages are handled in the order in which it sent them, whichever way they
// went, but for long ones from before there was a lane: a line says how many were sent before it,
// and a message how many lines were written before it. Requires of the provider that messages and
// writes are not passed by writes before them.
//
// Threads: any for sending; one at a time for what arrives.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sync/system.hpp"
#include "transport/endpoint.hpp"
#include "transport/lane_line.hpp"

namespace oriel::transport {

class lanes {
 public:
  static constexpr std::uint32_t ring = 16;  // lines of a lane
  static constexpr std::uint32_t slots = 8;  // of lines with long payloads, likewise
  static constexpr std::size_t most = 32;    // lanes of a process
  static constexpr std::uint8_t often =
      16;  // messages and short gets, before a rank is offered one

  // Whether the endpoint's provider is one on which they are faster and wake who sleeps.
  static bool serve(const endpoint&) noexcept;

  // Throws as endpoint::expose, and bad_alloc.
  lanes(endpoint&, std::uint64_t job, int ranks);

  // --- Sending
  [[nodiscard]] bool leads_to(int to) noexcept { return to_rank(to) != nullptr; }
  // Returns whether the message has left: not so where there is no lane to the rank, or no room.
  bool write(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  // A long message, composed in `room`: the head, the payload, unless that is there, and a line. It
  // stays there until the context completes. As endpoint::write. Requires: leads_to(to).
  ssize_t write_long(int to, const message_head&, std::span<const std::byte> payload,
                     std::span<std::byte> room, context&) noexcept;
  // After that was refused: whether the lane opens only once a message has left outside of it, or
  // it has been refused so often that lines may have been lost, of which such a message tells.
  [[nodiscard]] bool is_stuck(int to) noexcept;
  // A message that is about to leave outside of the lane: what it carries as its `number`, and how
  // much has left before it that no line passes. Another thread's may leave meanwhile.
  struct outside {
    std::uint16_t number = 0;
    std::uint64_t behind = 0;
  };
  [[nodiscard]] outside next_outside(int to) noexcept;
  // It, of so many bytes with its head, has left; or has not left after all.
  void sent(int to, const outside&, std::size_t bytes) noexcept;
  void came_back(int to, std::uint16_t number, std::size_t bytes) noexcept;
  // So has something else that a lane could have taken.
  void spoke(int to) noexcept;
  // A write with completion data has left: no line passes it, nor leaves before a message has.
  void sent_note(int to) noexcept;
  // A connection to the rank has ended, with lines perhaps, whose turns would be awaited for ever:
  // no line leaves before a message has, which tells of them.
  void disconnected(int to) noexcept;
  // The same of the rank that this was written to: a context of kind lane.
  void failed(const context&) noexcept;

  // --- Setting up
  // This rank's memory for what `to` writes: nothing where it has been offered before, there is
  // none left, or, unless `asked`, the two have not spoken often.
  std::optional<lane_offer> offer(int to, bool asked) noexcept;
  // What `from` offers. Nothing happens where it has none of this rank's.
  void accept(int from, const lane_offer&) noexcept;

  // --- What arrives
  // `handle(message)` of all that may be handled now, in order. It returns false where the message
  // is to be shown again. Returns how many there were.
  template <class Handle>
  int look(Handle handle) noexcept {
    int n = 0;
    for (std::size_t i = 0; i < given_.load(std::memory_order_acquire); ++i)
      n += look_at(here_[i], handle);
    return n;
  }
  // The same of what `from` has written, before what completion data of it are for.
  template <class Handle>
  void look_at(int from, Handle handle) noexcept {
    if (incoming* const l = from_rank(from)) look_at(*l, handle);
  }
  // The same of what it has written before it sent `m` outside of the lane. Returns false where
  // `m` is to be shown again.
  template <class Handle>
  bool look_before(const message_head& m, Handle handle) noexcept;
  // `m`, sent outside of the lane, has been handled.
  void heard(const message_head& m) noexcept;

  // Lines written so far.
  [[nodiscard]] std::uint64_t written() const noexcept {
    return written_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr std::uint16_t counted = 0x8000;  // in numbers: the sender has a lane
  static constexpr std::uint16_t turns = 0x7fff;

  // What one other rank writes.
  struct memory {
    std::array<lane_line, ring> lines{};
    // How many lines of the lane the other way it has taken, and in the upper half the complement:
    // where no line has told it for long.
    alignas(64) std::uint64_t taken = 0;
    alignas(64) std::array<long_line, slots> longs;  // by turn, as lines
  };
  struct unmap {
    void operator()(memory*) const noexcept;
  };
  using mapped = std::unique_ptr<memory[], unmap>;
  // Empty lanes, whose pages are taken as they are used.
  static mapped map_memory();
  // What is on its way, which nothing tells the arrival of. A context a write: libfabric 1.17 dies
  // where a connection ends amid writes that have none (fi_inject_write).
  struct write_under_way : context {
    write_under_way() noexcept { kind = context_kind::lane; }
    int to = 0;
  };
  template <class Value>
  struct posted : write_under_way {
    Value value{};
  };
  struct incoming {
    int from = 0;
    std::atomic<std::uint32_t> next{0};  // the turn that is awaited
    std::atomic<std::uint32_t> told{0};  // how many the sender knows to be taken, at least
    std::uint32_t heard = 0;             // messages outside of the lane
    bool owes_credit = false;
    bool brings_long = false;  // messages
    // How many are taken. One may be written again while it is on its way, since a line has told
    // the same: what arrives then is newer, or torn, which its complement shows.
    std::array<posted<std::uint64_t>, 2> credits{};
    std::size_t credit = 0;
  };
  struct outgoing {
    sync::mutex mutex;                            // of the writers
    std::array<posted<lane_line>, ring> lines{};  // each until the line is taken
    lane_offer there;
    std::atomic<std::uint32_t> next{0};
    std::uint32_t taken = 0;                // lines, as far as the writers know
    std::atomic<std::uint32_t> told{0};     // how many of them, by the last line of the other way
    std::atomic<std::uint32_t> sent{0};     // messages outside of the lane
    std::atomic<std::uint32_t> refused{0};  // long messages
    // Writes with completion data, and connections that took lines with them; and how many of
    // those a message has left behind.
    std::atomic<std::uint64_t> notes{0}, notes_passed{0};
    std::atomic<bool> open{false};
  };
  // A line that has arrived, if it has.
  struct standing_line {
    std::optional<lane_line> line;
    const long_line* behind_payload = nullptr;  // null: it holds its payload itself

    // Points into this, or into the lane.
    [[nodiscard]] std::optional<message> says(std::uint64_t job, int from) const noexcept {
      return behind_payload == nullptr ? message_of(*line, job, from)
                                       : behind_payload->message_of(*line, job, from);
    }
  };
  static constexpr std::uint8_t none = 0xff;

  static bool counts(std::size_t bytes) noexcept { return bytes <= longest_ordered; }
  [[nodiscard]] outgoing* to_rank(int r) noexcept;
  [[nodiscard]] incoming* from_rank(int r) noexcept;
  [[nodiscard]] memory& of(const incoming& l) noexcept { return memory_[&l - here_.data()]; }
  // A line that is not counts the message that has passed the note (`sent`).
  [[nodiscard]] static bool behind_note(const outgoing& o) noexcept {
    return o.notes_passed.load(std::memory_order_acquire) !=
           o.notes.load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool has_room(outgoing&, memory&, std::uint32_t most) noexcept;
  lane_line next_line(outgoing&, const message_head&, std::span<const std::byte> payload) noexcept;
  void wrote(outgoing&, std::uint32_t taken) noexcept;
  // Whether nothing stands where its next line may: what most looks find.
  [[nodiscard]] bool is_empty(incoming& l) noexcept {
    const std::uint32_t turn = l.next.load(std::memory_order_relaxed);
    memory& m = of(l);
    return std::atomic_ref(m.lines[turn % ring].check).load(std::memory_order_relaxed) == 0 &&
           std::atomic_ref(m.longs[turn % slots].line.check).load(std::memory_order_relaxed) == 0;
  }
  [[nodiscard]] standing_line next_of(incoming&) noexcept;
  void took(incoming&) noexcept;
  void tell_taken(incoming&) noexcept;
  void learn_taken(const incoming& l, const lane_line& line) noexcept {
    there_[&l - here_.data()].told.store(line.taken, std::memory_order_relaxed);
  }
  template <class Handle>
  int look_at(incoming&, Handle& handle) noexcept;

  endpoint& port_;
  std::uint64_t job_;
  mapped memory_;
  memory_region region_;
  std::array<incoming, most> here_{};
  std::array<outgoing, most> there_{};  // to the ranks of here_
  sync::mutex giving_;
  std::atomic<std::size_t> given_{0};
  std::vector<std::atomic<std::uint8_t>> lane_;    // by rank: in here_ and there_, or none
  std::vector<std::atomic<std::uint8_t>> spoken_;  // by rank, to `often`
  std::atomic<std::uint64_t> written_{0};
};

template <class Handle>
int lanes::look_at(incoming& l, Handle& handle) noexcept {
  if (l.owes_credit) tell_taken(l);
  int n = 0;
  for (;; ++n) {
    if (is_empty(l)) return n;
    const standing_line next = next_of(l);
    if (!next.line || static_cast<std::int32_t>(next.line->behind - l.heard) > 0) return n;
    learn_taken(l, *next.line);
    const auto m = next.says(job_, l.from);
    if (m && !handle(*m)) return n;
    took(l);
  }
}

// What is not there any more has been lost with a connection.
template <class Handle>
bool lanes::look_before(const message_head& outside, Handle handle) noexcept {
  incoming* const l = from_rank(outside.from);
  if (l == nullptr || (outside.number & counted) == 0) return true;
  const auto turn = [l] { return l->next.load(std::memory_order_relaxed); };
  const auto left = [&] { return (outside.number - turn()) & turns; };
  if (left() > ring) return true;
  while (left() != 0) {
    const standing_line next = next_of(*l);
    if (next.line) learn_taken(*l, *next.line);
    const auto m = next.line ? next.says(job_, l->from) : std::nullopt;
    if (m && !handle(*m)) return false;
    took(*l);
  }
  return true;
}

}  // namespace oriel::transport
