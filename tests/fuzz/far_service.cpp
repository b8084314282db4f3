// What ranks of other nodes ask of a window's owner. An input is requests, one after the other, to
// a window of a job of one; nobody wants the answers (cookie 0), so memory tells what was done.
#include <array>
#include <limits>
#include <memory>

#include "oriel/session.hpp"
#include "sync/run_list.hpp"
#include "tests/fuzz/far_requests.hpp"
#include "tests/fuzz/target.hpp"
#include "tests/support/scoped_variable.hpp"
#include "transport/libfabric.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/dismantle.hpp"
#include "win/route/remote_window.hpp"

namespace oriel::fuzz {
namespace {

using win::access_request;
using win::accessing;
using win::lock_request;
using buffer = std::vector<std::byte>;

constexpr std::uint64_t job = 1;

// A way to other nodes with nobody on it; null when libfabric has no provider here.
std::unique_ptr<transport::fabric> open_fabric(sessions::job& all) {
  const auto usable = transport::usable_providers({});
  if (usable.empty()) return nullptr;
  auto port = std::make_unique<transport::endpoint>(*usable.front());
  port->know(1, [own = port->address()](int) { return own; });
  return std::make_unique<transport::libfabric>(std::move(port), all,
                                                transport::libfabric::settings{.job = job});
}

// A window on two buffers, which are one range of displacements: all of the first and none of the
// second for a window that is created on memory, both when they are attached.
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
    if (head.call == number(remote_call::lock)) locks_.push_back(head.carried<lock_request>());
  }
  // Undoes all locks, those that wait for their turn first; after that none must be left.
  void unlock_all() {
    message_head h;
    h.call = number(remote_call::unlock);
    const auto unlock = [&](const lock_request& held) {
      h.carry(held);
      request(h, "");
    };
    for (const lock_request& asked : locks_) unlock(asked);
    for (const auto word : {win::lock_word::target, win::lock_word::all})
      for (const auto group : {sync::lock_group::shared, sync::lock_group::exclusive})
        for (std::size_t i = 0; i < locks_.size(); ++i) unlock({.word = word, .group = group});
    locks_.clear();
    require(!far_->tick(), "nobody waits for a lock that all have left");
    if (!core_->agreed.promised.has(assertion::exclusive_lock)) return;
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
  // What requests for many places do: all or nothing.
  void check_runs(const buffer& before, const transport::message& m) const {
    buffer expected = before;
    std::vector<bool> named(before.size());
    const bool puts = m.head.call == number(remote_call::put_runs);
    const auto asked = m.head.carried<win::runs_request>();
    const errc outcome = sync::run_list::for_each(
        m.payload.data(), m.payload.size(), [&](const sync::block_run& r, const std::byte* bytes) {
          std::uint64_t first = 0, end = 0;
          if (!r.bounds(first, end)) return errc::rma_range;
          if (!puts && transport::is_known(asked.type) && r.bytes % size_of(asked.type) != 0)
            return errc::type;
          for (std::uint32_t b = 0; b < r.blocks; ++b) {
            const auto apart = static_cast<std::uint64_t>(r.stride * std::int64_t{b});
            const auto place = inside(r.address + apart, r.bytes);
            if (!place) return errc::rma_range;
            for (std::size_t i = 0; i < r.bytes; ++i) {
              expected[*place + i] = bytes[std::size_t{r.bytes} * b + i];
              named[*place + i] = true;
            }
          }
          return errc::success;
        });
    const buffer after = all();
    const bool known = transport::is_known(asked.op) && transport::is_known(asked.type);
    if (outcome != errc::success || !known)
      require(after == before, "of a list of runs that is refused nothing is done");
    else if (puts)
      require(after == expected, "what a list of runs brings is where it says");
    for (std::size_t i = 0; i < after.size(); ++i)
      require(named[i] || after[i] == before[i], "a list of runs changes the places that it names");
  }
  // Elements that it does not name stay as they are.
  void check_packet(const buffer& before, const transport::message& m) const {
    const buffer after = all();
    std::vector<bool> named(before.size());
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= m.payload.size();) {
      std::uint64_t word = 0;
      std::memcpy(&word, m.payload.data() + at, sizeof word);
      const auto entry = win::packet_word::unpacked(word);
      const win::packet_sizes sizes{extent, core_->operations.calls};
      const bool known = win::packet_run::is_of(entry.call) || transport::is_known(entry.type);
      const primitive type = known ? entry.type : primitive::opaque;
      at += sizeof word + sizes.given(entry.call, entry.kind, type);
      const std::size_t bytes = sizes.covered(entry.call, entry.kind, type);
      const std::uint64_t index = attached_ ? win::packet_word::attached_index(word) : entry.index;
      if (const auto place = inside(index * extent, bytes))
        std::fill_n(named.begin() + static_cast<std::ptrdiff_t>(*place), bytes, true);
    }
    for (std::size_t i = 0; i < after.size(); ++i)
      require(named[i] || after[i] == before[i], "a packet changes the elements that it names");
  }
  void check_memory(buffer before, const transport::message& m) const {
    const std::uint8_t what = m.head.call;
    const auto is = [what](auto... calls) { return ((what == number(calls)) || ...); };
    if (is(remote_call::put_runs, remote_call::accumulate_runs, remote_call::get_accumulate_runs))
      return check_runs(before, m);
    if (is(remote_call::packet)) return check_packet(before, m);
    const bool notifies = is(remote_call::put_notify);
    const bool writes = notifies || is(remote_call::put, remote_call::accumulate,
                                       remote_call::get_accumulate, remote_call::compare_swap);
    const auto access = m.head.carried<access_request>();
    const buffer after = all();
    const std::size_t bytes = notifies ? m.payload.size() : access.bytes;
    const std::uint64_t displacement =
        notifies ? m.head.carried<win::notify_request>().displacement : access.displacement;
    const auto place = inside(displacement, bytes);
    const bool known =
        notifies || (transport::is_known(access.op) && transport::is_known(access.type));
    if (!writes || !place || !known) {
      require(after == before, "what is refused, or only reads, changes nothing");
      return;
    }
    const auto at = static_cast<std::ptrdiff_t>(*place);
    const auto end = at + static_cast<std::ptrdiff_t>(bytes);
    require(std::equal(before.begin(), before.begin() + at, after.begin()) &&
                std::equal(before.begin() + end, before.end(), after.begin() + end),
            "a request changes the place that it names");
    if (is(remote_call::put) && bytes == m.payload.size())
      require(std::equal(m.payload.begin(), m.payload.end(), after.begin() + at),
              "what was put is there");
    const std::size_t wanted = is(remote_call::compare_swap) ? 2 * bytes : bytes;
    if (is(remote_call::put, remote_call::compare_swap) && m.payload.size() != wanted)
      require(after == before, "half a put or compare_swap changes nothing");
  }

  bool attached_;
  // Buffers of their own, so that the address sanitizer sees accesses beyond them.
  buffer first_ = buffer(window_bytes, std::byte{0x11});
  buffer second_ = buffer(window_bytes, std::byte{0x22});
  std::vector<lock_request> locks_;  // as they were asked for
  std::unique_ptr<detail::window_core> core_;
  std::unique_ptr<win::remote_window> far_;
};

struct owner {
  testing::scoped_variable checks{"ORIEL_CHECK", "1"};
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

}  // namespace

std::vector<std::string> seeds() {
  if (this_rank().way == nullptr) return {};
  std::vector<std::string> all;
  for (const int w : {0, 1}) {
    const std::string eight = "8 bytes.";
    const std::string sixteen = eight + eight;
    all.push_back(asked(w, remote_call::put, accessing(16, 8), eight) +
                  asked(w, remote_call::get, accessing(16, 8)));
    all.push_back(asked(w, remote_call::locate, win::locate_request{16, 8}) +
                  asked(w, remote_call::locate, win::locate_request{8, window_bytes}) +
                  asked(w, remote_call::forget, win::forget_request{16}));
    all.push_back(asked(w, remote_call::put, accessing(window_bytes - 4, 8), eight));
    all.push_back(asked(w, remote_call::put, accessing(16, 16), eight));
    all.push_back(asked(w, remote_call::get, accessing(window_bytes, window_bytes)));
    for (const primitive p : {primitive::int32, primitive::float64, primitive::boolean})
      for (const atomic_op op : {atomic_op::sum, atomic_op::replace, atomic_op::lor})
        all.push_back(asked(w, remote_call::accumulate, accessing(8, 8, op, p), eight) +
                      asked(w, remote_call::get_accumulate, accessing(12, 8, op, p), eight));
    all.push_back(
        asked(w, remote_call::get_accumulate, accessing(0, 8, atomic_op::no_op, primitive::int64)));
    access_request unknown = accessing(0, 8, atomic_op::sum, primitive::int64);
    unknown.op = atomic_op{200};
    all.push_back(asked(w, remote_call::accumulate, unknown, eight));
    all.push_back(asked(w, remote_call::compare_swap, accessing(32, 8), sixteen));
    all.push_back(asked(w, remote_call::compare_swap, accessing(33, 16), sixteen + sixteen));
    for (const auto call :
         {remote_call::put_runs, remote_call::accumulate_runs, remote_call::get_accumulate_runs})
      for (const std::uint64_t at : {std::uint64_t{16}, window_bytes - 8})
        for (const std::int64_t stride :
             {std::int64_t{24}, std::int64_t{-16}, std::numeric_limits<std::int64_t>::min()})
          all.push_back(asked(w, call, win::runs_request{atomic_op::sum, primitive::int32},
                              runs(at, stride == 24 ? 12 : 4, stride)));
    for (const sync::block_run& r :
         {sync::block_run{8, 8, 3, 16}, sync::block_run{window_bytes - 8, 8, 2, 8},
          sync::block_run{0, 1, 0xffffffff, 0}, sync::block_run{0, 0, 1, 0}})
      all.push_back(asked(w, remote_call::get_runs, 0, alone(r) + alone(r)));
    using element = std::pair<std::uint32_t, std::uint64_t>;
    for (const auto& [node_rank, index] :
         {element{0, 3}, element{0, elements}, element{9, 3}, element{0, (1ull << 47) - 1}}) {
      using enum detail::list_call;
      all.push_back(asked(w, remote_call::packet, win::packet_request{4, 2 * extent},
                          entries({put, get, compare_swap}, node_rank, index)));
      all.push_back(asked(w, remote_call::packet, win::packet_request{3, extent},
                          entries({accumulate, fetch_op}, node_rank, index)));
      all.push_back(asked(w, remote_call::packet, win::packet_request{2, extent},
                          entries({by_owner}, node_rank, index)));
      all.push_back(
          asked(w, remote_call::packet, win::packet_request{4, 0},
                entries({accumulate, accumulate_again, accumulate_again}, node_rank, index)));
      all.push_back(asked(w, remote_call::packet, win::packet_request{2, 0},
                          entries({accumulate_again}, node_rank, index)));
      all.push_back(
          asked(w, remote_call::packet, win::packet_request{1, 0},
                raw(win::packet_word::unpacked(~0ull << win::packet_word::index_bits).packed())));
    }
    for (const std::uint64_t index : {std::uint64_t{1}, std::uint64_t{elements - 2}})
      for (const std::uint32_t n : {2u, 3u, 20u})
        all.push_back(asked(w, remote_call::packet,
                            win::packet_request{3, n * static_cast<std::uint32_t>(extent)},
                            entries_of_runs(n, index)));
    all.push_back(asked(w, remote_call::put_notify, win::notify_request{0, 3}, eight) +
                  asked(w, remote_call::acknowledge, win::acknowledge_request{2}));
    all.push_back(asked(w, remote_call::refuse_notify, win::refusal_notice{0, 1, errc::rma_range}) +
                  asked(w, remote_call::refuse_notify, win::refusal_notice{0, 1, errc{-1}}));
    for (const auto group : {sync::lock_group::shared, sync::lock_group::exclusive})
      for (const auto word : {win::lock_word::target, win::lock_word::all}) {
        const lock_request first{1, word, group};
        const lock_request second{2, word, sync::lock_group::exclusive};
        all.push_back(asked(w, remote_call::lock, first) + asked(w, remote_call::lock, second) +
                      asked(w, remote_call::unlock, first));
      }
    const auto of_checks = checks(w);
    all.insert(all.end(), of_checks.begin(), of_checks.end());
    all.push_back(asked(w, remote_call::post, win::post_notice{0}) +
                  asked(w, remote_call::complete) +
                  asked(w, remote_call::segments, win::segments_request{0}));
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
    h.call = in.take<std::uint8_t>();
    const std::string_view body = in.take_bytes(h.body.size());
    std::memcpy(h.body.data(), body.data(), body.size());
    const auto length = in.take<std::uint16_t>();
    w.request(h, in.take_bytes(length));
  }
  for (const auto& w : me.windows) w->unlock_all();
}

}  // namespace oriel::fuzz
