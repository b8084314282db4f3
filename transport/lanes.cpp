#include "transport/lanes.hpp"

#include <rdma/fi_errno.h>
#include <sys/mman.h>

#include <cstddef>
#include <cstring>
#include <new>
#include <string>
#include <type_traits>

namespace oriel::transport {
namespace {

std::uint64_t doubled(std::uint32_t n) noexcept {
  return n | std::uint64_t{~n} << 32;
}

// What the provider may be writing: nothing where not all of it is of one write.
std::optional<std::uint32_t> credit_at(std::uint64_t& at) noexcept {
  const std::uint64_t word = std::atomic_ref(at).load(std::memory_order_acquire);
  const auto n = static_cast<std::uint32_t>(word);
  return word == doubled(n) ? std::optional(n) : std::nullopt;
}

// To `n`, unless it has come further by another thread.
template <class Count>
void raise(std::atomic<Count>& count, Count n) noexcept {
  Count now = count.load(std::memory_order_relaxed);
  while (
      static_cast<std::make_signed_t<Count>>(n - now) > 0 &&
      !count.compare_exchange_weak(now, n, std::memory_order_release, std::memory_order_relaxed)) {
  }
}

}  // namespace

// Elsewhere a write may be seen late by who sleeps, and nobody has measured whether it is faster.
bool lanes::serve(const endpoint& e) noexcept {
  return provider_name(e.info()).starts_with("tcp") && e.sends_behind_writes() &&
         e.writes_behind_writes() && !e.wants_local_registration();
}

lanes::lanes(endpoint& port, std::uint64_t job, int ranks)
    : port_(port),
      job_(job),
      memory_(map_memory()),
      region_(port.expose(memory_.get(), most * sizeof(memory), ~job, {})),
      lane_(static_cast<std::size_t>(ranks)),
      spoken_(static_cast<std::size_t>(ranks)) {
  for (auto& l : lane_) l.store(none, std::memory_order_relaxed);
}

lanes::mapped lanes::map_memory() {
  constexpr std::size_t bytes = most * sizeof(memory);
  void* const at = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  ::madvise(at, bytes, MADV_NOHUGEPAGE);  // it is sparse
  return mapped(static_cast<memory*>(at));
}

void lanes::unmap::operator()(memory* at) const noexcept {
  ::munmap(at, most * sizeof(memory));
}

lanes::outgoing* lanes::to_rank(int r) noexcept {
  const std::uint8_t i = lane_[static_cast<std::size_t>(r)].load(std::memory_order_acquire);
  return i != none && there_[i].open.load(std::memory_order_acquire) ? &there_[i] : nullptr;
}

lanes::incoming* lanes::from_rank(int r) noexcept {
  const std::uint8_t i = lane_[static_cast<std::size_t>(r)].load(std::memory_order_acquire);
  return i == none ? nullptr : &here_[i];
}

// --- Sending

// What is not newer than what is known, or nonsense, changes nothing.
bool lanes::has_room(outgoing& o, memory& m, std::uint32_t most) noexcept {
  const std::uint32_t next = o.next.load(std::memory_order_relaxed);
  const auto learn = [&o, next](std::uint32_t taken) {
    if (next - taken < next - o.taken) o.taken = taken;
  };
  if (next - o.taken < most) return true;
  std::uint32_t told = o.told.load(std::memory_order_relaxed);
  learn(told);
  if (const auto n = credit_at(m.taken)) learn(*n);
  // Where nothing comes the other way for 2^32 lines, it must not seem newer than it is.
  if (told != o.taken) o.told.compare_exchange_strong(told, o.taken, std::memory_order_relaxed);
  return next - o.taken < most;
}

lane_line lanes::next_line(outgoing& o, const message_head& head,
                           std::span<const std::byte> payload) noexcept {
  const std::uint32_t taken = here_[&o - there_.data()].next.load(std::memory_order_acquire);
  return line_of(head, payload, o.sent.load(std::memory_order_relaxed), taken,
                 o.next.load(std::memory_order_relaxed));
}

void lanes::wrote(outgoing& o, std::uint32_t taken) noexcept {
  o.next.store(o.next.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  raise(here_[&o - there_.data()].told, taken);
  written_.fetch_add(1, std::memory_order_relaxed);
}

bool lanes::write(int to, const message_head& head, std::span<const std::byte> payload) noexcept {
  if (!fits_lane(head.kind, payload.size())) return false;
  outgoing* const o = to_rank(to);
  if (o == nullptr) return false;
  const std::lock_guard hold(o->mutex);
  memory& mine = memory_[static_cast<std::size_t>(o - there_.data())];
  if (behind_note(*o) || !has_room(*o, mine, ring)) return false;
  const std::uint32_t i = o->next.load(std::memory_order_relaxed) % ring;
  posted<lane_line>& line = o->lines[i];
  line.to = to;
  line.value = next_line(*o, head, payload);
  const remote_place at{to, o->there.address + i * sizeof line.value, o->there.key};
  if (port_.write_quietly(at, &line.value, sizeof line.value, nullptr, line) != 0) return false;
  wrote(*o, line.value.taken);
  return true;
}

ssize_t lanes::write_long(int to, const message_head& head, std::span<const std::byte> payload,
                          std::span<std::byte> room, context& c) noexcept {
  outgoing* const o = to_rank(to);
  const std::lock_guard hold(o->mutex);
  memory& mine = memory_[static_cast<std::size_t>(o - there_.data())];
  if (behind_note(*o) || !has_room(*o, mine, slots)) return -FI_EAGAIN;
  std::byte* const from = room.data() + sizeof head;
  std::memcpy(room.data(), &head, sizeof head);
  if (payload.data() != from) std::memcpy(from, payload.data(), payload.size());
  const lane_line line = next_line(*o, head, payload);
  std::memcpy(from + payload.size(), &line, sizeof line);
  const std::size_t bytes = payload.size() + sizeof line;
  const std::uint32_t slot = o->next.load(std::memory_order_relaxed) % slots;
  const std::uint64_t end =
      o->there.address + offsetof(memory, longs) + (slot + 1) * sizeof(long_line);
  const ssize_t code = port_.write({to, end - bytes, o->there.key}, from, bytes, nullptr, 0, c);
  if (code == 0) wrote(*o, line.taken);
  return code;
}

bool lanes::is_stuck(int to) noexcept {
  constexpr std::uint32_t many = 1024;
  outgoing* const o = to_rank(to);
  return o->refused.fetch_add(1, std::memory_order_relaxed) % many == many - 1 || behind_note(*o);
}

lanes::outside lanes::next_outside(int to) noexcept {
  outgoing* const o = to_rank(to);
  if (o == nullptr) return {};
  const std::uint64_t behind = o->notes.load(std::memory_order_relaxed);
  const std::uint32_t lines = o->next.load(std::memory_order_acquire) & turns;
  return {static_cast<std::uint16_t>(counted | lines), behind};
}

void lanes::sent(int to, const outside& m, std::size_t bytes) noexcept {
  if ((m.number & counted) == 0) {
    for (int i = 0; i < (counts(bytes) ? 1 : 4); ++i) spoke(to);
    return;
  }
  if (!counts(bytes)) return;
  outgoing* const o = to_rank(to);
  o->sent.fetch_add(1, std::memory_order_relaxed);
  raise(o->notes_passed, m.behind);
}

void lanes::spoke(int to) noexcept {
  auto& spoken = spoken_[static_cast<std::size_t>(to)];
  const std::uint8_t n = spoken.load(std::memory_order_relaxed);
  if (n < often) spoken.store(n + 1, std::memory_order_relaxed);
}

void lanes::came_back(int to, std::uint16_t number, std::size_t bytes) noexcept {
  if ((number & counted) != 0 && counts(bytes))
    to_rank(to)->sent.fetch_sub(1, std::memory_order_relaxed);
}

void lanes::sent_note(int to) noexcept {
  if (outgoing* const o = to_rank(to)) o->notes.fetch_add(1, std::memory_order_relaxed);
}

void lanes::disconnected(int to) noexcept {
  sent_note(to);
}

void lanes::failed(const context& c) noexcept {
  disconnected(static_cast<const write_under_way&>(c).to);
}

// --- Setting up

std::optional<lane_offer> lanes::offer(int to, bool asked) noexcept {
  const auto r = static_cast<std::size_t>(to);
  if (lane_[r].load(std::memory_order_relaxed) != none) return std::nullopt;
  if (!asked && spoken_[r].load(std::memory_order_relaxed) < often) return std::nullopt;
  const std::lock_guard hold(giving_);
  const std::size_t i = given_.load(std::memory_order_relaxed);
  if (i == most || lane_[r].load(std::memory_order_relaxed) != none) return std::nullopt;
  here_[i].from = to;
  lane_[r].store(static_cast<std::uint8_t>(i), std::memory_order_release);
  given_.store(i + 1, std::memory_order_release);
  return lane_offer{port_.base_for_peers(memory_.get()) + i * sizeof(memory), region_.key()};
}

void lanes::accept(int from, const lane_offer& there) noexcept {
  const std::uint8_t i = lane_[static_cast<std::size_t>(from)].load(std::memory_order_acquire);
  if (i == none) return;
  there_[i].there = there;
  there_[i].notes.fetch_add(1, std::memory_order_relaxed);  // there may have been one
  there_[i].open.store(true, std::memory_order_release);
}

// --- What arrives

lanes::standing_line lanes::next_of(incoming& l) noexcept {
  const std::uint32_t turn = l.next.load(std::memory_order_relaxed);
  memory& m = of(l);
  if (auto line = read_line(m.lines[turn % ring], job_, turn)) return {line};
  long_line& beside = m.longs[turn % slots];
  auto line = read_line(beside.line, job_, turn);
  // A thread that posts may be inside the provider still, amid the bytes before the line.
  if (line) port_.catch_up();
  return {line, &beside};
}

// The line is emptied before its writer may know: by the next line of the other way, or where there
// has been none for some, by a write of its own.
void lanes::took(incoming& l) noexcept {
  const std::uint32_t turn = l.next.load(std::memory_order_relaxed);
  memory& m = of(l);
  std::atomic_ref(m.lines[turn % ring].check).store(0, std::memory_order_relaxed);
  const std::atomic_ref behind(m.longs[turn % slots].line.check);
  if (behind.load(std::memory_order_relaxed) != 0) {
    behind.store(0, std::memory_order_relaxed);
    l.brings_long = true;
  }
  l.next.store(turn + 1, std::memory_order_release);
  tell_taken(l);
}

// Long messages may wait for it, so it is told later where it cannot be now.
void lanes::tell_taken(incoming& l) noexcept {
  const std::uint32_t taken = l.next.load(std::memory_order_relaxed);
  const std::uint32_t most_untold = (l.brings_long ? slots : ring) / 2;
  l.owes_credit = taken - l.told.load(std::memory_order_relaxed) >= most_untold;
  if (!l.owes_credit) return;
  const outgoing* const o = to_rank(l.from);
  if (o == nullptr) return;
  posted<std::uint64_t>& word = l.credits[l.credit];
  word.to = l.from;
  word.value = doubled(taken);
  const remote_place at{l.from, o->there.address + offsetof(memory, taken), o->there.key};
  if (port_.write_quietly(at, &word.value, sizeof word.value, nullptr, word) != 0) return;
  raise(l.told, taken);
  l.credit ^= 1;
  l.owes_credit = false;
}

void lanes::heard(const message_head& m) noexcept {
  if ((m.number & counted) == 0 || !counts(sizeof m + m.bytes)) return;
  if (incoming* const l = from_rank(m.from)) ++l->heard;
}

}  // namespace oriel::transport
