#include <rdma/fi_errno.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tools/info/trials.hpp"

namespace oriel::tools {
namespace {

// Words of the window in which the target reports its counts.
constexpr std::size_t first_count = 0, second_count = 1, last_length = 2;

// Messages go out of and into memory that is registered where the provider requires that.
struct message_buffer {
  message_buffer(pair& p, std::size_t bytes)
      : memory(bytes), region(p.port().expose_locally(memory.data(), bytes)) {}
  std::vector<unsigned char> memory;
  transport::memory_region region;
};

int wait_all(pair& p, const std::vector<pair::transfer*>& all) {
  for (pair::transfer* t : all)
    if (const int code = p.wait(*t); code != 0) return code;
  return 0;
}

constexpr int messages = 1000;
// Injected, in a buffer, and the longest that oriel sends (transport/message.hpp).
constexpr std::array<std::size_t, 3> lengths{8, 2048, 16384};
constexpr std::size_t longest = 16384;

json send_in_order(pair& p) {
  constexpr std::size_t in_flight = 32;
  message_buffer buffer(p, in_flight * longest);
  std::vector<pair::transfer*> sends;
  int code = 0;
  for (int i = 0; i < messages && code == 0; ++i) {
    const auto slot = static_cast<std::size_t>(i) % in_flight;
    if (sends.size() >= in_flight) code = p.wait(*sends[sends.size() - in_flight]);
    unsigned char* const bytes = buffer.memory.data() + slot * longest;
    std::memcpy(bytes, &i, sizeof i);
    pair::transfer& t = p.make_transfer();
    const std::size_t length = lengths[static_cast<std::size_t>(i) % lengths.size()];
    if (code == 0)
      code = p.post(
          [&] { return p.port().send(p.other(), bytes, length, buffer.region.descriptor(), t); });
    sends.push_back(&t);
  }
  if (code == 0) code = wait_all(p, sends);
  p.meet();
  const auto matched = p.shared().window[first_count].load();
  json result{{"works", code == 0 && matched == messages},
              {"messages", messages},
              {"matched_in_order", matched},
              {"completed_in_order", p.shared().window[second_count].load()}};
  if (code != 0) result["error"] = fi_strerror(code);
  return result;
}

void receive_in_order(pair& p) {
  constexpr int posted_at_once = 64;
  message_buffer buffer(p, posted_at_once * longest);
  struct posted {
    pair::transfer* t;
    unsigned char* bytes;
  };
  std::vector<posted> open;
  int next = 0;
  const auto post = [&](unsigned char* bytes) {
    pair::transfer& t = p.make_transfer();
    t.turn = next++;
    if (p.post([&] { return p.port().receive(bytes, longest, buffer.region.descriptor(), t); }) ==
        0)
      open.push_back({&t, bytes});
  };
  for (int i = 0; i < posted_at_once; ++i)
    post(buffer.memory.data() + static_cast<std::size_t>(i) * longest);
  std::uint64_t matched = 0, completed = 0;
  int ended = 0;
  // The origin's sends may be complete before all has arrived here.
  constexpr std::chrono::milliseconds silence{500};
  auto heard = std::chrono::steady_clock::now();
  while (ended < messages) {
    p.poll();
    const auto now = std::chrono::steady_clock::now();
    if (p.other_waits() && now > heard + silence) break;
    // What one poll brought is looked at in the order of posting, so `completed` can only miss
    // disorder within a poll, not invent any.
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (!open[i].t->ended) continue;
      heard = now;
      const posted done = open[i];
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i--));
      int number = -1;
      std::memcpy(&number, done.bytes, sizeof number);
      if (number == done.t->turn && done.t->failure == 0) ++matched;
      if (number == ended) ++completed;
      ++ended;
      if (next < messages) post(done.bytes);
    }
  }
  p.shared().window[first_count] = matched;
  p.shared().window[second_count] = completed;
  p.meet();
}

// What a message of this length holds.
unsigned char filling(std::size_t length) {
  return static_cast<unsigned char>(length * 31 + 7);
}

constexpr std::size_t longest_injected = 65536;

}  // namespace

json order_trial(pair& p) {
  if (p.origin()) return send_in_order(p);
  receive_in_order(p);
  return json::object();
}

json inject_trial(pair& p, bool beyond) {
  constexpr int receives = 64;
  const std::size_t said = p.port().inject_size();
  if (!p.origin()) {
    message_buffer buffer(p, receives * longest_injected);
    std::vector<pair::transfer*> open;
    for (int i = 0; i < receives; ++i) {
      pair::transfer& t = p.make_transfer();
      if (p.post([&] {
            return p.port().receive(
                buffer.memory.data() + static_cast<std::size_t>(i) * longest_injected,
                longest_injected, buffer.region.descriptor(), t);
          }) == 0)
        open.push_back(&t);
    }
    p.meet();
    p.meet(pair::progress::slow);
    const std::uint64_t expected = p.shared().window[last_length];
    std::uint64_t intact = 0;
    for (std::size_t i = 0; i < open.size() && i < expected; ++i) {
      if (p.wait(*open[i], std::chrono::milliseconds(500)) != 0) break;
      const unsigned char* const bytes = buffer.memory.data() + i * longest_injected;
      const std::size_t length = open[i]->bytes;
      intact += length > 0 && std::all_of(bytes, bytes + length,
                                          [&](unsigned char c) { return c == filling(length); });
    }
    p.shared().window[first_count] = intact;
    p.meet();
    return json::object();
  }
  std::vector<unsigned char> message(longest_injected + 1);
  std::uint64_t accepted = 0;
  int refusal = 0;
  const auto takes = [&](std::size_t length) {
    std::fill_n(message.begin(), length, filling(length));
    // Some refuse what is too long by returning FI_EAGAIN for ever.
    const int code = p.post([&] { return p.port().inject(p.other(), message.data(), length); },
                            beyond ? std::chrono::milliseconds(100) : pair::patience);
    std::fill_n(message.begin(), length, static_cast<unsigned char>(0));
    if (code == 0)
      ++accepted;
    else
      refusal = code;
    return code == 0;
  };
  p.meet();
  std::size_t largest = 0;
  if (!beyond) {
    for (int i = 0; said > 0 && i < 8 && takes(std::min(said, longest_injected)); ++i)
      largest = std::min(said, longest_injected);
  } else {
    std::size_t good = said, bad = longest_injected + 1;
    while (good + 1 < bad) {
      const std::size_t middle = bad > longest_injected ? std::min(2 * good + 1, longest_injected)
                                                        : good + (bad - good) / 2;
      if (takes(middle))
        good = middle;
      else
        bad = middle;
      if (good == longest_injected) break;
    }
    largest = good;
  }
  p.shared().window[last_length] = accepted;
  p.meet();
  p.meet();
  const std::uint64_t intact = p.shared().window[first_count];
  json result{
      {"works", intact == accepted && (beyond || largest == std::min(said, longest_injected))},
      {"said", said},
      {"largest", largest},
      {"messages", accepted},
      {"intact", intact}};
  if (refusal != 0) result["refusal"] = fi_strerror(refusal);
  return result;
}

}  // namespace oriel::tools
