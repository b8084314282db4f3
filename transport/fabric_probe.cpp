#include "transport/fabric_probe.hpp"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace oriel::transport {
namespace {

// Gives up on all ranks when one of other nodes is lost, and after the time in which sessions open.
class patient final : public sessions::job_watch {
 public:
  patient(sessions::job& all, std::chrono::milliseconds timeout)
      : job_watch(all), timeout_(timeout) {}
  [[nodiscard]] bool any_failed() const noexcept override { return job_->losses() != 0; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return timeout_;
  }

 private:
  std::chrono::milliseconds timeout_;
};

std::optional<completion> forced() {
  const char* const word = std::getenv("ORIEL_FABRIC_FLUSH");
  if (word == nullptr || *word == '\0') return std::nullopt;
  if (std::strcmp(word, "delivery") == 0) return completion::delivery;
  if (std::strcmp(word, "read") == 0) return completion::read_back;
  if (std::strcmp(word, "acknowledge") == 0) return completion::acknowledged;
  throw error(errc::arg, std::string("ORIEL_FABRIC_FLUSH is '") + word +
                             "'; valid: delivery, read, acknowledge");
}

// What the neighbour gets: where to write, and what it should find there.
struct remote_area {
  std::uint64_t key;
  std::uint64_t base;
};

constexpr std::uint64_t group = 0;  // no team has this name

// `what` of rank `r` failed. Where a rank has been lost, whichever, that is why.
[[noreturn]] void fail(const sessions::job& all, int r, const std::string& what) {
  if (all.losses() == 0) throw error(errc::timed_out, "rank " + std::to_string(r) + what);
  const int lost = all.lost(0);
  throw error(errc::peer_failed, "rank " + std::to_string(lost) + " " + all.fate_in_words(lost));
}

}  // namespace

completion probe_completion(libfabric& f, sessions::job& all, std::chrono::milliseconds timeout) {
  if (const auto word = forced()) return *word;
  std::vector<int> leaders;
  for (int r = 0, node = 0; r < all.size(); ++r)
    if (all.node_of(r) == node) {
      leaders.push_back(r);
      ++node;
    }
  const auto nodes = leaders.size();
  const auto mine = static_cast<std::size_t>(all.node_of(all.rank()));
  if (leaders[mine] != all.rank()) return completion::delivery;
  const int next = leaders[(mine + 1) % nodes];
  const int previous = leaders[(mine + nodes - 1) % nodes];
  const patient watch(all, timeout);

  const auto told = [&](std::uint32_t turn, const auto& value) {
    if (f.send(next, {group, turn, 0}, std::as_bytes(std::span(&value, 1))) != errc::success)
      fail(all, next, " cannot be reached through " + f.provider());
  };
  const auto heard = [&](std::uint32_t turn, int from, auto& value) {
    std::vector<std::byte> bytes;
    if (f.receive(from, {group, turn, 0}, bytes, watch) != errc::success ||
        bytes.size() != sizeof value)
      fail(all, from, " did not answer through " + f.provider());
    std::memcpy(&value, bytes.data(), sizeof value);
  };

  // Each sends the one before the place where it may write here.
  std::atomic<std::uint64_t> landing[2]{};
  std::uint64_t returned = 0;
  const memory_region region = f.port().expose(landing, sizeof landing, f.key_of_probe());
  const remote_area here{region.key(), f.port().base_for_peers(landing)};
  remote_area there{};
  if (f.send(previous, {group, 0, 0}, std::as_bytes(std::span(&here, 1))) != errc::success)
    fail(all, previous, " cannot be reached through " + f.provider());
  heard(0, next, there);

  // Both rungs are tried by all, so that no rank waits for one that has stopped.
  std::uint8_t arrived[2]{};
  constexpr std::array rungs{completion::delivery, completion::read_back};
  for (std::uint32_t rung = 0; rung < rungs.size(); ++rung) {
    const completion how = rungs[rung];
    const std::uint64_t value = 0x6f7269656cu + rung;
    const remote_place at{next, there.base + rung * sizeof value, there.key};
    f.settle_for(how);
    pending_ops ops;
    errc e = f.put(at, &value, sizeof value, true, ops);
    if (e == errc::success && how == completion::read_back)
      e = f.get(at, &returned, sizeof returned, ops);
    if (const errc w = f.wait(ops, next, watch); e == errc::success) e = w;
    const std::uint8_t completed = e == errc::success ? 1 : 0;
    told(1 + rung, completed);
    heard(1 + rung, previous, arrived[rung]);
    if (landing[rung].load() != value) arrived[rung] = 0;
  }
  // Reports to the one before whether what it wrote has arrived here.
  if (f.send(previous, {group, 3, 0}, std::as_bytes(std::span(arrived))) != errc::success)
    return completion::acknowledged;
  std::array<std::uint8_t, 2> worked{};
  heard(3, next, worked);
  return worked[0] != 0   ? completion::delivery
         : worked[1] != 0 ? completion::read_back
                          : completion::acknowledged;
}

notice_way probe_notices(const libfabric& f) {
  const char* const word = std::getenv("ORIEL_FABRIC_NOTIFY");
  const std::string_view most = word == nullptr || *word == '\0' ? "behind" : word;
  if (most != "behind" && most != "arrival")
    throw error(errc::arg,
                "ORIEL_FABRIC_NOTIFY is '" + std::string(most) + "'; valid: behind, arrival");
  return most == "behind" ? f.promised_notices() : notice_way::after_arrival;
}

}  // namespace oriel::transport
