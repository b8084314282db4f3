#include "bench/limits/net/wire.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <array>
#include <cerrno>

namespace bench::net {
namespace {

constexpr std::size_t arriving_bytes = 512u << 10;
constexpr std::size_t messages_a_call = 16;

bool must_wait() {
  return errno == EAGAIN || errno == EINTR;
}

}  // namespace

wire::wire(processes& all, receiver take)
    : all_(all), take_(std::move(take)), socket_(all), arriving_(arriving_bytes) {
  all_.while_waiting([this] { progress(); });
}

wire::~wire() {
  all_.while_waiting([] {});
}

std::unique_ptr<wire_message> wire::blank(std::uint32_t kind) {
  if (idle_.empty()) idle_.push_back(std::make_unique<wire_message>());
  auto one = std::move(idle_.back());
  idle_.pop_back();
  one->kind = kind;
  one->words = 0;
  return one;
}

void wire::post(std::unique_ptr<wire_message> one) {
  outgoing_.push_back(std::move(one));
  send_some();
}

void wire::progress() {
  if (!outgoing_.empty()) send_some();
  receive_some();
}

void wire::send_some() {
  std::array<iovec, messages_a_call> parts;
  std::size_t n = 0;
  for (const auto& m : outgoing_) {
    if (n == parts.size()) break;
    const std::size_t skipped = n == 0 ? sent_ : 0;
    parts[n++] = {reinterpret_cast<char*>(m.get()) + skipped, m->bytes() - skipped};
  }
  msghdr call{};
  call.msg_iov = parts.data();
  call.msg_iovlen = n;
  const ssize_t taken = sendmsg(socket_.get(), &call, MSG_NOSIGNAL);
  if (taken < 0) {
    if (must_wait()) return;
    throw other_ended("a process of the measurement ended");
  }
  sent_ += static_cast<std::size_t>(taken);
  while (!outgoing_.empty() && sent_ >= outgoing_.front()->bytes()) {
    sent_ -= outgoing_.front()->bytes();
    idle_.push_back(std::move(outgoing_.front()));
    outgoing_.pop_front();
  }
}

void wire::receive_some() {
  const ssize_t got = recv(socket_.get(), arriving_.data() + have_, arriving_bytes - have_, 0);
  if (got <= 0) {
    if (got < 0 && must_wait()) return;
    throw other_ended("a process of the measurement ended");
  }
  have_ += static_cast<std::size_t>(got);
  std::size_t at = 0;
  const auto next = [&] { return reinterpret_cast<const wire_message*>(arriving_.data() + at); };
  for (; have_ - at >= sizeof(std::uint64_t) && have_ - at >= next()->bytes();
       at += next()->bytes())
    take_(*next());
  std::memmove(arriving_.data(), arriving_.data() + at, have_ - at);
  have_ -= at;
}

}  // namespace bench::net
