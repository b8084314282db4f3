#include "transport/fabric_probe.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

constexpr std::uint64_t group = 0;                                  // no team has this name,
constexpr std::uint64_t name_of_probe = 0, name_of_data_probe = 1;  // and no window these

// Two words that a rank of another node writes. What is complete for its writer may arrive later
// where the provider orders and confirms nothing, so they stay until the session ends.
class landing {
 public:
  landing(libfabric& f, std::uint64_t name) : fabric_(f), place_(std::make_unique<place>()) {
    place_->exposed = f.expose(place_->words.data(), sizeof place_->words, name, {});
  }
  ~landing() { fabric_.keep(std::move(place_)); }
  landing(const landing&) = delete;
  landing& operator=(const landing&) = delete;
  [[nodiscard]] remote_area area() const noexcept {
    return {place_->exposed->key, place_->exposed->base};
  }
  [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept {
    return place_->words[i].load();
  }

 private:
  struct place final : exposure {
    std::array<std::atomic<std::uint64_t>, 2> words{};
    std::unique_ptr<exposure> exposed;
  };
  libfabric& fabric_;
  std::unique_ptr<place> place_;
};

// `what` of rank `r` failed. Where a rank has been lost, whichever, that is why.
[[noreturn]] void fail(const sessions::job& all, int r, const std::string& what) {
  if (all.losses() == 0) throw error(errc::timed_out, "rank " + std::to_string(r) + what);
  const int lost = all.lost(0);
  throw error(errc::peer_failed, "rank " + std::to_string(lost) + " " + all.fate_in_words(lost));
}

// The lowest ranks of the nodes, each of which tries what it does to that of the next node.
class ring {
 public:
  ring(libfabric& f, sessions::job& all, std::chrono::milliseconds timeout)
      : fabric_(f), all_(all), watch_(all, timeout) {
    for (int r = 0, node = 0; r < all.size(); ++r)
      if (all.node_of(r) == node) {
        leaders_.push_back(r);
        ++node;
      }
  }
  [[nodiscard]] bool joins() const { return at(0) == all_.rank(); }
  [[nodiscard]] int next() const { return at(1); }
  [[nodiscard]] int previous() const { return at(leaders_.size() - 1); }
  [[nodiscard]] const sync::peer_watch& watch() const { return watch_; }

  template <class Value>
  void tell(int to, std::uint32_t turn, const Value& value) const {
    if (fabric_.send(to, {group, turn, 0}, std::as_bytes(std::span(&value, 1))) != errc::success)
      fail(all_, to, " cannot be reached through " + fabric_.provider());
  }
  template <class Value>
  void hear(int from, std::uint32_t turn, Value& value) const {
    std::vector<std::byte> bytes;
    if (fabric_.receive(from, {group, turn, 0}, bytes, watch_) != errc::success ||
        bytes.size() != sizeof value)
      fail(all_, from, " did not answer through " + fabric_.provider());
    std::memcpy(&value, bytes.data(), sizeof value);
  }

 private:
  [[nodiscard]] int at(std::size_t nodes_on) const {
    return leaders_[(static_cast<std::size_t>(all_.node_of(all_.rank())) + nodes_on) %
                    leaders_.size()];
  }

  libfabric& fabric_;
  sessions::job& all_;
  patient watch_;
  std::vector<int> leaders_;
};

// What completion data have said.
class listener final : public service {
 public:
  explicit listener(libfabric& f) : fabric_(f) { fabric_.add_service(name_of_probe, *this); }
  ~listener() override { fabric_.remove_service(name_of_probe); }
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  void serve(const message&) noexcept override {}
  void noted(int from, std::uint32_t counter, std::uint32_t amount) noexcept override {
    from_ = from;
    counter_ = counter;
    amount_ = amount;
  }
  [[nodiscard]] bool has_heard(int from, const completion_data& d) const noexcept {
    return from_ == from && counter_ == d.counter && amount_ == d.amount;
  }

 private:
  libfabric& fabric_;
  std::atomic<int> from_{-1};
  std::atomic<std::uint32_t> counter_{0}, amount_{0};
};

// Whether a write's completion data are there, as its bytes are, before a message behind it.
bool brings_data(libfabric& f, const ring& leaders) {
  listener here(f);
  struct {
    remote_area area;
    std::uint64_t number;
  } mine{}, theirs{};
  const landing place(f, name_of_data_probe);
  mine = {place.area(), f.number_for(here, leaders.previous())};
  leaders.tell(leaders.previous(), 4, mine);
  leaders.hear(leaders.next(), 4, theirs);
  const std::uint64_t value = 0x6f7269656cu;
  const completion_data data{static_cast<std::uint32_t>(theirs.number), 3, 5};
  std::uint8_t written = 0, arrived = 0, worked = 0;
  if (f.carries(data, sizeof value)) {
    pending_ops ops;
    const errc e = f.put_noted({leaders.next(), theirs.area.base, theirs.area.key}, &value,
                               sizeof value, data, ops);
    const errc w = f.wait(ops, leaders.next(), leaders.watch());
    written = e == errc::success && w == errc::success ? 1 : 0;
  }
  leaders.tell(leaders.next(), 5, written);
  leaders.hear(leaders.previous(), 5, arrived);
  if (place[0] != value || !here.has_heard(leaders.previous(), data)) arrived = 0;
  leaders.tell(leaders.previous(), 6, arrived);
  leaders.hear(leaders.next(), 6, worked);
  return worked != 0;
}

}  // namespace

completion probe_completion(libfabric& f, sessions::job& all, std::chrono::milliseconds timeout) {
  if (const auto word = forced()) return *word;
  const ring leaders(f, all, timeout);
  if (!leaders.joins()) return completion::delivery;
  const int next = leaders.next();

  // Each sends the one before the place where it may write here.
  const landing place(f, name_of_probe);
  std::uint64_t returned = 0;
  remote_area there{};
  leaders.tell(leaders.previous(), 0, place.area());
  leaders.hear(next, 0, there);

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
    if (const errc w = f.wait(ops, next, leaders.watch()); e == errc::success) e = w;
    const std::uint8_t completed = e == errc::success ? 1 : 0;
    leaders.tell(next, 1 + rung, completed);
    leaders.hear(leaders.previous(), 1 + rung, arrived[rung]);
    if (place[rung] != value) arrived[rung] = 0;
  }
  // Reports to the one before whether what it wrote has arrived here.
  std::array<std::uint8_t, 2> worked{};
  leaders.tell(leaders.previous(), 3, arrived);
  leaders.hear(next, 3, worked);
  return worked[0] != 0   ? completion::delivery
         : worked[1] != 0 ? completion::read_back
                          : completion::acknowledged;
}

notice_way probe_notices(libfabric& f, sessions::job& all, std::chrono::milliseconds timeout) {
  const char* const word = std::getenv("ORIEL_FABRIC_NOTIFY");
  const std::string_view most = word == nullptr || *word == '\0' ? "data" : word;
  constexpr std::array<std::string_view, 3> words{"data", "behind", "arrival"};
  const auto found = std::find(words.begin(), words.end(), most);
  if (found == words.end())
    throw error(errc::arg,
                "ORIEL_FABRIC_NOTIFY is '" + std::string(most) + "'; valid: data, behind, arrival");
  notice_way way = std::max(f.promised_notices(), static_cast<notice_way>(found - words.begin()));
  f.settle_for(way, f.port().completion_data_bytes());
  const ring leaders(f, all, timeout);
  if (leaders.joins() && !brings_data(f, leaders)) way = std::max(way, notice_way::behind);
  return way;
}

}  // namespace oriel::transport
