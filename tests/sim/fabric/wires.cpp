// What is on its way, and what comes of it as it arrives.
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "tests/sim/fabric/network.hpp"

// The system's, which the linker has called in the place of a simulation's.
extern "C" void* __real_memcpy(void* to, const void* from, std::size_t bytes);

namespace oriel::sim {
namespace {

// Longer messages may be passed, as ofi_rxm cuts them into segments.
constexpr std::size_t longest_ordered = 16384;
constexpr std::size_t piece = 64;

// What a network moves is no step of a process: its own steps are where pieces begin.
void move_bytes(void* to, const void* from, std::size_t bytes) noexcept {
  __real_memcpy(to, from, bytes);
}

// The bit that says that `later` does not pass `earlier`.
std::uint64_t order_bit(network::kind later, network::kind earlier) noexcept {
  constexpr std::uint64_t bits[3][3] = {{FI_ORDER_SAS, FI_ORDER_SAW, FI_ORDER_SAR},
                                        {FI_ORDER_WAS, FI_ORDER_WAW, FI_ORDER_WAR},
                                        {FI_ORDER_RAS, FI_ORDER_RAW, FI_ORDER_RAR}};
  return bits[static_cast<int>(later)][static_cast<int>(earlier)];
}

std::uint64_t flags_of(network::kind k) noexcept {
  return k == network::kind::send    ? FI_SEND | FI_MSG
         : k == network::kind::write ? FI_RMA | FI_WRITE
                                     : FI_RMA | FI_READ;
}

}  // namespace

void network::serve() {
  for (;;) {
    const position next = next_due();
    if (next.on == nullptr) {
      run_.sleep("waits for packets", this, std::nullopt);
    } else if (next.due > run_.now()) {
      run_.sleep("waits until a packet arrives", this, next.due - run_.now());
    } else {
      packet m = std::move((*next.on)[next.index]);
      next.on->erase(next.on->begin() + static_cast<std::ptrdiff_t>(next.index));
      run_.step("a packet arrives");
      run_.note(m.length);
      if (!returns(m.what)) --at(m.from).under_way;
      if (is_lost_at_its_source(m)) continue;
      if (is_gone(at(m.to))) {
        lose(m);
        continue;
      }
      read_source(m);
      arrive(std::move(m));
    }
  }
}

bool network::is_gone(const port& p) const noexcept {
  return !p.open || !run_.alive(p.process);
}

bool network::is_blocked(const wire& on, std::size_t index) const noexcept {
  for (std::size_t k = 0; k < index; ++k)
    if (!may_pass(on[index], on[k])) return true;
  return false;
}

network::position network::next_due() noexcept {
  position next;
  std::uint64_t alike = 0;
  for (auto& [where, on] : wires_)
    for (std::size_t i = 0; i < on.size(); ++i) {
      if (!on[i].left || is_cut(on[i]) || is_blocked(on, i)) continue;
      const nanoseconds due = std::max(due_of(on[i]), run_.now());
      if (next.on != nullptr && due > next.due) continue;
      if (next.on == nullptr || due < next.due) alike = 0;
      if (run_.chance(++alike)) next = {&on, i, due};
    }
  return next;
}

nanoseconds network::due_of(const packet& m) noexcept {
  nanoseconds due = m.due;
  for (const int n : {m.from, m.to})
    if (const auto cut = cuts_.find(at(n).process); cut != cuts_.end())
      due = std::max(due, cut->second);
  return due;
}

bool network::is_cut(const packet& m) const noexcept {
  return std::any_of(cut_rails_.begin(), cut_rails_.end(), [&](const auto& cut) {
    const auto is_on = [&cut](const port& p) {
      return p.of->rail == cut.first && (cut.second < 0 || cut.second == p.process);
    };
    return is_on(ports_[static_cast<std::size_t>(m.from)]) ||
           is_on(ports_[static_cast<std::size_t>(m.to)]);
  });
}

bool network::may_pass(const packet& later, const packet& earlier) const noexcept {
  if (returns(later.what) || returns(earlier.what)) return true;
  if (later.what == kind::send && earlier.what == kind::send && earlier.length > longest_ordered)
    return true;
  return (traits_.order & order_bit(later.what, earlier.what)) == 0;
}

// What a dead process has not read of its memory is gone; of the rest something may still arrive.
bool network::is_lost_at_its_source(const packet& m) {
  if (run_.alive(at(m.from).process)) return false;
  const ends where{m.from, m.to};
  if (m.source == nullptr && !broken_.contains(where) && run_.chance(2)) return false;
  broken_.insert(where);
  return true;
}

// Whoever has posted it may use the source again, and where nothing else is demanded it is
// complete.
void network::read_source(packet& m) {
  if (m.source != nullptr) {
    m.bytes.resize(m.length);
    move_bytes(m.bytes.data(), std::exchange(m.source, nullptr), m.length);
  }
  const bool moves_bytes = m.what == kind::send || m.what == kind::write;
  if (!moves_bytes || !m.tells || m.confirmed || std::exchange(m.told, true)) return;
  tell(at(m.from), {m.context, flags_of(m.what), m.length, 0, 0});
}

void network::arrive(packet m) {
  port& p = at(m.to);
  if (traits_.progresses_alone) return handle(std::move(m));
  p.inbox.push_back(std::move(m));
  if (p.completions != nullptr) notice(*p.completions);
}

void network::handle(packet m) {
  switch (m.what) {
    case kind::send:
      return receive_message(at(m.to), m);
    case kind::write:
      return perform_write(m);
    case kind::read:
      return perform_read(m);
    case kind::confirmation:
      return complete(m, m.failure);
    case kind::answer:
      return take_answer(m);
  }
}

void network::receive_message(port& p, const packet& m) {
  if (p.receives.empty()) {
    p.unexpected.push_back(m);
    return;
  }
  const receive r = p.receives.front();
  p.receives.pop_front();
  const std::size_t bytes = std::min(r.bytes, m.length);
  if (bytes != 0) move_bytes(r.buffer, m.bytes.data(), bytes);
  tell(p, {r.context, FI_RECV | FI_MSG, bytes, 0, m.length > r.bytes ? FI_ETRUNC : 0});
  if (m.confirmed) come_back(m, kind::confirmation, 0);
}

void network::perform_write(const packet& m) {
  for (std::size_t done = 0; done < m.length; done += piece) {
    if (done != 0) run_.step("a write goes on");
    std::byte* const to = target_of(m, done);
    if (to == nullptr) return come_back(m, kind::confirmation, FI_EACCES);
    move_bytes(to, m.bytes.data() + done, std::min(piece, m.length - done));
  }
  if (m.data)
    tell(at(m.to), {nullptr, FI_RMA | FI_REMOTE_WRITE | FI_REMOTE_CQ_DATA, m.length, *m.data, 0});
  if (m.confirmed) come_back(m, kind::confirmation, 0);
}

void network::perform_read(const packet& m) {
  std::vector<std::byte> bytes(m.length);
  for (std::size_t done = 0; done < m.length; done += piece) {
    if (done != 0) run_.step("a read goes on");
    const std::byte* const from = target_of(m, done);
    if (from == nullptr) return come_back(m, kind::answer, FI_EACCES);
    move_bytes(bytes.data() + done, from, std::min(piece, m.length - done));
  }
  come_back(m, kind::answer, 0, std::move(bytes));
}

void network::take_answer(const packet& m) {
  for (std::size_t done = 0; m.failure == 0 && done < m.length; done += piece) {
    if (done != 0) run_.step("an answer goes on");
    if (!at(m.to).open) return;
    move_bytes(static_cast<std::byte*>(m.sink) + done, m.bytes.data() + done,
               std::min(piece, m.length - done));
  }
  complete(m, m.failure);
}

void network::come_back(const packet& of, kind as, int failure, std::vector<std::byte> bytes) {
  if (of.told && failure == 0) return;
  packet m;
  m.what = as;
  m.from = of.to;
  m.to = of.from;
  m.length = of.length;
  m.bytes = std::move(bytes);
  m.sink = of.sink;
  m.context = of.context;
  m.failure = failure;
  m.left = true;
  m.due = run_.now() + some_time(m);
  if (of.told || of.context == nullptr) return;
  carry(std::move(m));
}

// Its target has gone.
void network::lose(const packet& m) {
  if (returns(m.what)) return;
  const bool dead = !run_.alive(at(m.to).process);
  if (m.told || m.context == nullptr || (dead && !traits_.tells_of_the_dead)) return;
  complete(m, FI_ECONNRESET);
}

void network::complete(const packet& m, int failure) {
  port& p = at(returns(m.what) ? m.to : m.from);
  if (p.open) tell(p, {m.context, FI_RMA, m.length, 0, failure});
}

void network::tell(port& p, const entry& e) {
  if (!p.open || p.completions == nullptr) return;
  p.completions->entries.push_back(e);
  notice(*p.completions);
}

std::byte* network::target_of(const packet& m, std::size_t offset) {
  const port& p = at(m.to);
  if (!p.open) return nullptr;
  if (const auto found = p.of->regions.find(m.key); found != p.of->regions.end()) {
    const region& r = found->second;
    const std::uint64_t first =
        traits_.chooses_keys ? m.address - reinterpret_cast<std::uintptr_t>(r.first) : m.address;
    if (first <= r.bytes && m.length <= r.bytes - first) return r.first + first + offset;
  }
  if (!any_dead())
    run_.fail("process " + std::to_string(at(m.from).process) + " accesses memory of process " +
              std::to_string(p.process) + " that is not registered");
  return nullptr;
}

bool network::any_dead() const noexcept {
  return std::any_of(ports_.begin(), ports_.end(),
                     [this](const port& p) { return !run_.alive(p.process); });
}

// One way in eight is a long one all the time, so that two short ones are sooner.
nanoseconds network::some_time(const packet& m) {
  constexpr std::uint64_t usual = 4000, late = 500'000, very_late = 10'000'000, longer = 3'000'000;
  const auto [way, fresh] = ways_.try_emplace({m.from, m.to});
  if (fresh && run_.chance(8)) way->second = nanoseconds(run_.draw(longer));
  return way->second + nanoseconds(500 + run_.draw(run_.chance(64)  ? very_late
                                                   : run_.chance(8) ? late
                                                                    : usual));
}

}  // namespace oriel::sim
