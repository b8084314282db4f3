#include "tools/info/pair.hpp"

#include <rdma/fi_errno.h>
#include <sched.h>

#include <cstring>
#include <string>
#include <thread>

#include "oriel/errc.hpp"

namespace oriel::tools {
namespace {

constexpr std::size_t most_transfers = 8192;
// Longer than all that one side may do between two meeting points.
constexpr std::chrono::seconds longest_absence{10};

}  // namespace

pair::pair(const fi_info& provider, int side, stage& shared)
    : side_(side),
      shared_(shared),
      transfers_(std::make_unique<transfer[]>(most_transfers)),
      port_(provider) {
  local_ = port_.expose_locally(transfers_.get(), most_transfers * sizeof(transfer));
  window_ = port_.expose(shared.window.data(), sizeof shared.window, 1);
  const std::string address = port_.address();
  stage::card& mine = shared.cards[static_cast<std::size_t>(side)];
  if (address.size() > mine.address.size())
    throw error(errc::system, "its addresses are longer than a trial expects");
  mine.length = static_cast<std::uint32_t>(address.size());
  std::memcpy(mine.address.data(), address.data(), address.size());
  mine.base = port_.base_for_peers(shared.window.data());
  mine.key = window_.key();
  meet();
  port_.know(2, [&shared](int r) {
    const stage::card& c = shared.cards[static_cast<std::size_t>(r)];
    return std::string(c.address.data(), c.length);
  });
  meet();
}

void pair::poll() {
  port_.poll([](transport::context& c, std::size_t bytes, int failure) {
    auto& ended = static_cast<transfer&>(c);
    ended.bytes = bytes;
    ended.failure = failure;
    ended.ended = true;
  });
}

bool pair::other_waits() const noexcept {
  return shared_.turns[static_cast<std::size_t>(other())] >
         shared_.turns[static_cast<std::size_t>(side_)];
}

void pair::meet(progress how) {
  const int turn = ++shared_.turns[static_cast<std::size_t>(side_)];
  const auto until = clock::now() + longest_absence;
  while (shared_.turns[static_cast<std::size_t>(other())] < turn) {
    if (how != progress::none) poll();
    if (how == progress::made)
      sched_yield();
    else
      std::this_thread::sleep_for(std::chrono::microseconds(50));
    if (clock::now() > until)
      throw error(errc::timed_out,
                  origin() ? "the target did not go on" : "the origin did not go on");
  }
}

pair::transfer& pair::make_transfer() {
  if (used_ == most_transfers) throw error(errc::no_mem, "a trial has too many transfers");
  transfer& t = transfers_[used_++];
  t.kind = transport::context_kind::operation;
  return t;
}

transport::remote_place pair::place(std::size_t word) const noexcept {
  const stage::card& there = shared_.cards[static_cast<std::size_t>(other())];
  return {other(), there.base + word * sizeof(std::uint64_t), there.key};
}

int pair::wait(transfer& t, std::chrono::milliseconds limit) {
  const auto until = clock::now() + limit;
  for (;;) {
    poll();
    if (t.ended) return t.failure;
    if (clock::now() > until) return FI_ETIMEDOUT;
    sched_yield();
  }
}

int pair::write(std::size_t word, std::uint64_t value, std::uint64_t flags,
                std::chrono::milliseconds limit) {
  transfer& t = make_transfer();
  t.word = value;
  const int posted = post(
      [&] { return port_.write(place(word), &t.word, sizeof t.word, descriptor(), flags, t); });
  return posted != 0 ? posted : wait(t, limit);
}

int pair::read(std::size_t word, std::uint64_t& value, std::chrono::milliseconds limit) {
  transfer& t = make_transfer();
  int code = post([&] { return port_.read(place(word), &t.word, sizeof t.word, descriptor(), t); });
  if (code == 0) code = wait(t, limit);
  if (code == 0) value = t.word;
  return code;
}

}  // namespace oriel::tools
