// What ranks of other nodes ask of a window's owner. An input is requests, one after the other, to
// a window of a job of one; nobody wants the answers (cookie 0), so memory tells what was done.
#include <array>
#include <memory>

#include "oriel/session.hpp"
#include "tests/fuzz/target.hpp"
#include "transport/libfabric.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/dismantle.hpp"
#include "win/route/remote_window.hpp"

namespace oriel::fuzz {
namespace {

using transport::message_head;
using win::remote_request;
using buffer = std::vector<std::byte>;

constexpr std::uint64_t job = 1;
constexpr std::size_t extent = 8;
constexpr std::size_t elements = 40;
constexpr std::uint64_t window_bytes = elements * extent;

// A way to other nodes with nobody on it; null when libfabric has no provider here.
std::unique_ptr<transport::fabric> open_fabric(sessions::job& all) {
  const auto usable = transport::usable_providers();
  if (usable.empty()) return nullptr;
  auto port = std::make_unique<transport::endpoint>(*usable.front());
  port->know({port->address()});
  return std::make_unique<transport::libfabric>(std::move(port), all,
                                                transport::libfabric::settings{.job = job});
}

// A window on two buffers, which are one range of displacements: all of the first and none of the
// second for a window that is created on memory, both when they are attached.
std::string lock_payload(win::lock_word word, sync::lock_group group, std::uint32_t epoch) {
  const win::lock_request r{.epoch = epoch, .word = word, .group = group};
  return {reinterpret_cast<const char*>(&r), sizeof r};
}

class served_window {
 public:
  served_window(const team& world, transport::fabric& way, bool attached)
      : attached_(attached),
        core_(make_core(world)),
        far_(std::make_unique<win::remote_window>(*core_, way, 1, false)) {
    if (!attached_) return;
    for (buffer* b : {&first_, &second_}) {
      segment<std::byte> known;
      const errc e =
          core_->view.ops->attach(*core_, b->data(), b->size() / extent, &known, call_site::here());
      require(e == errc::success, "a buffer can be attached");
    }
  }
  ~served_window() {
    far_.reset();
    win::dismantle(std::move(core_)).or_throw();
  }
  served_window(const served_window&) = delete;
  served_window& operator=(const served_window&) = delete;

  // Serves one request and looks at what it has done.
  void request(const message_head& head, std::string_view payload) {
    const buffer before = all();
    const std::string bytes = raw_message(head, payload);
    const auto m = transport::parse(std::as_bytes(std::span(bytes.data(), bytes.size())), job, 1);
    require(m.has_value(), "a request is a message");
    far_->serve(*m);
    far_->tick();
    check_memory(before, *m);
    if (head.what == static_cast<std::uint8_t>(remote_request::lock)) locks_.emplace_back(payload);
  }
  // Undoes all locks, those that wait for their turn first; after that none must be left.
  void unlock_all() {
    message_head h;
    h.what = static_cast<std::uint8_t>(remote_request::unlock);
    for (const std::string& asked : locks_) request(h, asked);
    for (const auto word : {win::lock_word::target, win::lock_word::all})
      for (const auto group : {sync::lock_group::shared, sync::lock_group::exclusive})
        for (std::size_t i = 0; i < locks_.size(); ++i) request(h, lock_payload(word, group, 0));
    locks_.clear();
    require(!far_->tick(), "nobody waits for a lock that all have left");
    if (!core_->promised.has(assertion::exclusive_lock)) return;
    for (sync::group_lock_state* lock : {&core_->lock_word(0), &core_->all_lock_word()}) {
      require(sync::try_enter(*lock, sync::lock_group::exclusive, sync::capacity::one, 0),
              "a lock that all have left is free");
      require(sync::leave(*lock, sync::lock_group::exclusive) == errc::success,
              "a lock can be left");
    }
  }

 private:
  std::unique_ptr<detail::window_core> make_core(const team& world) {
    const window_options options;
    win::construction c;
    c.how = win::flavor::create;
    c.base = attached_ ? datatype::of<std::int64_t>() : datatype::bytes(extent);
    c.promised = assertion::shared_lock | assertion::multi_element;
    c.promised = c.promised | (attached_ ? assertion::attach : assertion::notify);
    if (!attached_) {
      c.promised = c.promised | assertion::exclusive_lock | assertion::pscw;
      c.memory = first_.data();
      c.count = elements;
    }
    c.options = &options;
    return win::build(world, c);
  }
  [[nodiscard]] buffer all() const {
    buffer both = first_;
    both.insert(both.end(), second_.begin(), second_.end());
    return both;
  }
  // Where [at, at + bytes) lies in all(); nothing when it is not exposed by one buffer.
  [[nodiscard]] std::optional<std::size_t> inside(std::uint64_t at, std::size_t bytes) const {
    const std::uint64_t begin = attached_ && at >= window_bytes ? window_bytes : 0;
    if (at < begin || at - begin > window_bytes || bytes > window_bytes - (at - begin))
      return std::nullopt;
    return begin == 0 || attached_ ? std::optional<std::size_t>(at) : std::nullopt;
  }
  static std::string raw_message(message_head head, std::string_view payload) {
    head.job = job;
    head.kind = transport::message_kind::request;
    head.bytes = static_cast<std::uint32_t>(payload.size());
    return std::string(reinterpret_cast<const char*>(&head), sizeof head) + std::string(payload);
  }
  void check_memory(buffer before, const transport::message& m) const {
    const auto what = static_cast<remote_request>(m.head.what);
    const bool puts = what == remote_request::put || what == remote_request::put_notify;
    const bool writes = puts || what == remote_request::accumulate ||
                        what == remote_request::get_accumulate ||
                        what == remote_request::compare_swap;
    const buffer after = all();
    const std::size_t bytes = puts ? m.payload.size() : m.head.count;
    const auto place = inside(m.head.argument, bytes);
    if (!writes || !place) {
      require(after == before, "what is refused, or only reads, changes nothing");
      return;
    }
    const auto at = static_cast<std::ptrdiff_t>(*place);
    const auto end = at + static_cast<std::ptrdiff_t>(bytes);
    require(std::equal(before.begin(), before.begin() + at, after.begin()) &&
                std::equal(before.begin() + end, before.end(), after.begin() + end),
            "a request changes the place that it names");
    if (what == remote_request::put)
      require(std::equal(m.payload.begin(), m.payload.end(), after.begin() + at),
              "what was put is there");
    if (what == remote_request::compare_swap && m.payload.size() != 2 * bytes)
      require(after == before, "half a compare_swap changes nothing");
  }

  bool attached_;
  // Buffers of their own, so that the address sanitizer sees accesses beyond them.
  buffer first_ = buffer(window_bytes, std::byte{0x11});
  buffer second_ = buffer(window_bytes, std::byte{0x22});
  std::vector<std::string> locks_;  // as they were asked for
  std::unique_ptr<detail::window_core> core_;
  std::unique_ptr<win::remote_window> far_;
};

struct owner {
  session opened;
  std::unique_ptr<transport::fabric> way = open_fabric(opened.world().state()->session().job());
  std::array<std::unique_ptr<served_window>, 2> windows;
  owner() {
    if (way == nullptr) return;
    for (const bool attached : {false, true})
      windows[attached ? 1 : 0] = std::make_unique<served_window>(opened.world(), *way, attached);
  }
};

owner& this_rank() {
  static owner one;
  return one;
}

std::string asked(int window, remote_request what, std::uint64_t place, std::uint32_t count,
                  const std::string& payload, atomic_op op = atomic_op::no_op,
                  primitive type = primitive::opaque) {
  return raw(static_cast<std::uint8_t>(window)) + raw(static_cast<std::uint8_t>(what)) +
         raw(static_cast<std::uint8_t>(op)) + raw(static_cast<std::uint8_t>(type)) + raw(place) +
         raw(count) + raw(static_cast<std::uint8_t>(payload.size())) + payload;
}

}  // namespace

std::vector<std::string> seeds() {
  if (this_rank().way == nullptr) return {};
  std::vector<std::string> all;
  for (const int w : {0, 1}) {
    const std::string eight = "8 bytes.";
    all.push_back(asked(w, remote_request::put, 16, 0, eight) +
                  asked(w, remote_request::get, 16, 8, ""));
    all.push_back(asked(w, remote_request::put, window_bytes - 4, 0, eight));
    all.push_back(asked(w, remote_request::get, window_bytes, window_bytes, ""));
    for (const primitive p : {primitive::int32, primitive::float64, primitive::boolean})
      for (const atomic_op op : {atomic_op::sum, atomic_op::replace, atomic_op::lor})
        all.push_back(asked(w, remote_request::accumulate, 8, 8, eight, op, p) +
                      asked(w, remote_request::get_accumulate, 12, 8, eight, op, p));
    all.push_back(
        asked(w, remote_request::get_accumulate, 0, 8, "", atomic_op::no_op, primitive::int64));
    all.push_back(asked(w, remote_request::compare_swap, 32, 8, eight + eight));
    all.push_back(asked(w, remote_request::compare_swap, 33, 16, eight + eight + eight + eight));
    all.push_back(asked(w, remote_request::put_notify, 0, 3, eight));
    for (const auto group : {sync::lock_group::shared, sync::lock_group::exclusive})
      for (const auto word : {win::lock_word::target, win::lock_word::all})
        all.push_back(asked(w, remote_request::lock, 0, 0, lock_payload(word, group, 1)) +
                      asked(w, remote_request::lock, 0, 0,
                            lock_payload(word, sync::lock_group::exclusive, 2)) +
                      asked(w, remote_request::unlock, 0, 0, lock_payload(word, group, 1)));
    all.push_back(asked(w, remote_request::post, 0, 0, "") +
                  asked(w, remote_request::complete, 0, 0, "") +
                  asked(w, remote_request::segments, 0, 0, ""));
  }
  return all;
}

void check(std::string_view input) {
  owner& me = this_rank();
  if (me.way == nullptr) return;
  input_reader in(input);
  while (!in.empty()) {
    served_window& w = *me.windows[in.take<std::uint8_t>() % 2];
    message_head h;
    h.what = in.take<std::uint8_t>();
    h.op = static_cast<atomic_op>(in.take<std::uint8_t>() % atomic_op_count);
    h.type = static_cast<primitive>(in.take<std::uint8_t>() % primitive_count);
    h.argument = in.take<std::uint64_t>();
    h.count = in.take<std::uint32_t>();
    const auto length = in.take<std::uint8_t>();
    w.request(h, in.take_bytes(length));
  }
  for (const auto& w : me.windows) w->unlock_all();
}

}  // namespace oriel::fuzz
