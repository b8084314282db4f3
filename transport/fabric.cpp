// Setting up, and what runs when something has completed or arrived.
#include "sync/system.hpp"
#include "transport/libfabric.hpp"

#include <rdma/fi_errno.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "transport/failure.hpp"

namespace oriel::transport {

libfabric::libfabric(std::unique_ptr<endpoint> port, sessions::job& job, settings how,
                     std::vector<std::unique_ptr<endpoint>> more)
    : port_(std::move(port)),
      rails_(more.empty() ? nullptr
                          : std::make_unique<rails>(*port_, std::move(more), how.rails, job)),
      job_(job),
      settings_(std::move(how)),
      receive_room_(new std::array<std::byte, longest_message>[receives * rail_count()]),
      send_room_(new std::array<std::byte, longest_message>[sends]),
      receive_buffers_(new receive_buffer[receives * rail_count()]),
      send_buffers_(new send_buffer[sends]),
      spoken_to_(static_cast<std::size_t>(job.size())),
      parted_(static_cast<std::size_t>(job.size())) {
  contexts_.open(*port_, settings_.contexts);
  if (settings_.lanes && rails_ == nullptr && lanes::serve(*port_))
    lanes_ = std::make_unique<lanes>(*port_, settings_.job, job.size());
  receive_region_ =
      port_->expose_locally(receive_room_.get(), receives * rail_count() * longest_message);
  send_region_ = port_->expose_locally(send_room_.get(), sends * longest_message);
  for (std::size_t i = 0; i < sends; ++i) {
    send_buffers_[i].kind = context_kind::send;
    send_buffers_[i].bytes = send_room_[i];
    idle_sends_.push_back(&send_buffers_[i]);
  }
  for (std::size_t i = 0; i < receives * rail_count(); ++i) {
    receive_buffers_[i].kind = context_kind::receive;
    receive_buffers_[i].rail = static_cast<int>(i / receives);
    receive_buffers_[i].bytes = receive_room_[i];
    post(receive_buffers_[i]);
  }
  // Before anything is sent: the failure detector may know already that some have failed.
  if (rails_ != nullptr) close_failed_rails();
}

libfabric::~libfabric() {
  agent_.end();
  say_farewell();
  // The provider may still be writing into what is destroyed next.
  const bool amid = operations_.any_transfer() || any_lost();
  const auto leave = [amid](endpoint& e) noexcept { amid ? e.abandon() : e.shut(); };
  for (endpoint* const e : contexts_.ports()) leave(*e);
  for (int rail = 0; rail < static_cast<int>(rail_count()); ++rail) leave(port_of(rail));
}

void libfabric::buffer_queue::add(receive_buffer& b) noexcept {
  b.next = nullptr;
  (last == nullptr ? first : last->next) = &b;
  last = &b;
}

libfabric::receive_buffer& libfabric::buffer_queue::take() noexcept {
  receive_buffer& b = *first;
  first = b.next;
  if (first == nullptr) last = nullptr;
  return b;
}

void libfabric::post(receive_buffer& b) noexcept {
  if (rails_ != nullptr && !rails_->serves(b.rail)) return;
  if (port_of(b.rail).receive(b.bytes.data(), b.bytes.size(), receive_region_.descriptor(), b) != 0)
    unposted_.add(b);
}

// --- Progress

bool libfabric::progress() noexcept {
  polls_.fetch_add(1, std::memory_order_relaxed);
  return make_progress() > 0;
}

int libfabric::make_progress() noexcept {
  const auto complete = [this](context& c, std::size_t bytes, int failure) {
    completed(c, bytes, failure);
  };
  const int others = contexts_.poll(complete);
  // What is served here may wait for a moment, which makes progress again.
  if (serving_.load(std::memory_order_relaxed) == sync::id_of_this_thread()) return others;
  const std::unique_lock hold(progress_mutex_, std::try_to_lock);
  if (!hold) return others;
  // Not an embedding program's, which would come back here by its own.
  const sync::working_while_waiting alone(nullptr);
  serving_.store(sync::id_of_this_thread(), std::memory_order_relaxed);
  const auto carried = [this](std::uint64_t data) { noted(data); };
  int n = others + (rails_ == nullptr ? port_->poll(complete, carried) : poll_rails());
  if (lanes_ != nullptr) n += lanes_->look(handler());
  if (job_.losses() != losses_seen_) lose_the_gone();
  if (unheard_.first != nullptr || unposted_.first != nullptr) receive_again();
  if (any_deferred_.load(std::memory_order_relaxed)) drain_deferred();
  // Forgotten first, so that what another thread begins meanwhile is not.
  if (ticking_.load(std::memory_order_relaxed) && ticking_.exchange(false)) {
    bool again = false;
    for (const auto& [id, s] : services_) again = s->tick() || again;
    if (again) tick_soon();
  }
  serving_.store({}, std::memory_order_relaxed);
  return n;
}

void libfabric::completed(context& c, std::size_t bytes, int failure) noexcept {
  switch (c.kind) {
    case context_kind::operation: {
      auto& op = static_cast<operation&>(c);
      if (failure == 0 || !outlives(op, code_of(failure))) operations_.finish(op, code_of(failure));
      return;
    }
    case context_kind::receive: {
      auto& buffer = static_cast<receive_buffer&>(c);
      buffer.length = failure == 0 ? std::min(bytes, buffer.bytes.size()) : 0;
      // Behind those that wait already: messages of one sender keep their order.
      if (unheard_.first != nullptr || !arrived({buffer.bytes.data(), buffer.length}))
        unheard_.add(buffer);
      else
        post(buffer);
      return;
    }
    case context_kind::send: {
      auto& buffer = static_cast<send_buffer&>(c);
      if (failure != 0) send_again(buffer, code_of(failure));
      give_send_buffer(buffer);
      return;
    }
    case context_kind::lane:
      return lanes_->failed(c);
  }
}

void libfabric::noted(std::uint64_t data) noexcept {
  const auto d = completion_data::unpacked(data, settings_.data_bytes);
  const auto h = numbers_.find(d.number);
  if (h.to == nullptr) return;
  if (lanes_ != nullptr) lanes_->look_at(h.from, handler());
  h.to->noted(h.from, d.counter, d.amount);
}

void libfabric::receive_again() noexcept {
  while (unheard_.first != nullptr &&
         arrived({unheard_.first->bytes.data(), unheard_.first->length}))
    post(unheard_.take());
  // As many as there were: those that are refused again go to the end.
  for (receive_buffer* const last = unposted_.last; last != nullptr;) {
    receive_buffer& b = unposted_.take();
    post(b);
    if (&b == last) return;
  }
}

// Sends fail with the connection that they were queued on. What had not left whole was not received
// in part: it goes by the next connection, if there is one.
void libfabric::send_again(send_buffer& b, errc failure) noexcept {
  message_head head;
  std::memcpy(&head, b.bytes.data(), sizeof head);
  if (lanes_ != nullptr) {
    lanes_->came_back(b.to, head.number, b.length);
    lanes_->disconnected(b.to);
  }
  if (failure != errc::peer_failed || !job_.alive(b.to)) return;
  if (head.kind == message_kind::nudge) return;  // whatever leaves next does what it was for
  if (rails_ != nullptr)
    resend(b.to);
  else
    defer(b.to, {std::span(b.bytes).first(b.length)});
}

bool libfabric::arrived(std::span<const std::byte> bytes) noexcept {
  const auto m = parse(bytes, settings_.job, job_.size());
  if (!m) return true;  // not from this job
  if (rails_ != nullptr) return arrived_by_rail(*m, bytes);
  if (lanes_ == nullptr) return handled(*m);
  if (!lanes_->look_before(m->head, handler()) || !handled(*m)) return false;
  lanes_->heard(m->head);
  return true;
}

bool libfabric::handled(const message& m) noexcept {
  const message_head& h = m.head;
  switch (h.kind) {
    case message_kind::collective:
      try {
        const auto part = h.carried<collective_part>();
        const sessions::message_tag tag{h.addressee, part.turn, part.round};
        inbox_.put(h.from, tag, m.payload, part.total_bytes);
        if (inbox_.answers_any()) send_replies(inbox_.replies_to(h.from, tag));
      } catch (const std::bad_alloc&) {
        return false;
      }
      return true;
    case message_kind::request: {
      const auto found = services_.find(h.addressee);
      if (found == services_.end()) {
        reply(h, errc::rma_sync, {});
        return true;
      }
      found->second->serve(m);
      ticking_.store(true, std::memory_order_relaxed);
      return true;
    }
    case message_kind::reply:
      operations_.answer(h.cookie, h.from, m.payload.data(), m.payload.size(),
                         h.carried<reply_outcome>().outcome);
      return true;
    case message_kind::bye: {
      job_.note_left(h.from);
      parted_[static_cast<std::size_t>(h.from)].store(true, std::memory_order_relaxed);
      message_head back;
      back.kind = message_kind::bye_back;
      send_or_defer(h.from, stamped(back, 0), {});
      return true;
    }
    case message_kind::bye_back:
      parted_[static_cast<std::size_t>(h.from)].store(true, std::memory_order_relaxed);
      return true;
    case message_kind::lane:
      if (lanes_ == nullptr) return true;
      offer_lane(h.from, true);
      lanes_->accept(h.from, h.carried<lane_offer>());
      return true;
    case message_kind::nudge:  // its head has said all
    case message_kind::taken:  // there is one rail
    case message_kind::closed:
    case message_kind::asks_taken:
      return true;
  }
  return true;
}

void libfabric::lose(int rank) noexcept {
  operations_.give_up(rank, errc::peer_failed);
  if (rails_ != nullptr) moves_on_.store(true, std::memory_order_relaxed);
}

void libfabric::lose_the_gone() noexcept {
  for (const std::size_t all = job_.losses(); losses_seen_ < all; ++losses_seen_)
    lose(job_.lost(losses_seen_));
}

// Whether a rank has gone otherwise than by closing its session, amid whatever it was sending.
bool libfabric::any_lost() const noexcept {
  for (std::size_t i = 0; i < job_.losses(); ++i)
    if (job_.fate_of(job_.lost(i)) != sessions::fate::left) return true;
  return false;
}

void libfabric::look_at_debtors() noexcept {
  for (int r = operations_.next_debtor(-1); r >= 0; r = operations_.next_debtor(r))
    if (!job_.look(r)) lose(r);
}

// --- Memory

std::unique_ptr<exposure> libfabric::expose(void* memory, std::size_t bytes, std::uint64_t window,
                                            const std::optional<device_place>& device) {
  struct registered final : exposure {
    memory_region region;
    std::vector<memory_region> on_other_rails;  // by the same key
  };
  auto made = std::make_unique<registered>();
  made->region = port_->expose(memory, bytes, key_of(window), device);
  made->key = made->region.key();
  made->base = port_->base_for_peers(memory);
  for (int rail = 1; rail < static_cast<int>(rail_count()); ++rail)
    made->on_other_rails.push_back(port_of(rail).expose(memory, bytes, key_of(window), device));
  return made;
}

void libfabric::keep(std::unique_ptr<exposure> e) noexcept {
  const std::lock_guard hold(kept_mutex_);
  try {
    kept_.push_back(nullptr);
    kept_.back() = std::move(e);
  } catch (const std::bad_alloc&) {
    static_cast<void>(e.release());  // exposed all the same; the provider forgets it at the end
  }
}

// --- Services and the agent

void libfabric::add_service(std::uint64_t id, service& s) {
  const std::lock_guard hold(progress_mutex_);
  services_.emplace(id, &s);
}

void libfabric::remove_service(std::uint64_t id) noexcept {
  const std::lock_guard hold(progress_mutex_);
  const auto found = services_.find(id);
  if (found == services_.end()) return;
  numbers_.take_back(*found->second);
  services_.erase(found);
}

// What this process has sent may still be on its way, and closing the endpoint would lose it: it
// waits until all ranks to which it has sent have answered a last message.
void libfabric::say_farewell() noexcept {
  constexpr std::chrono::seconds patience{2};
  message_head bye;
  bye.kind = message_kind::bye;
  const auto to_wait_for = [this](int r) {
    const auto i = static_cast<std::size_t>(r);
    return spoken_to_[i].load() && !parted_[i].load() && job_.alive(r);
  };
  for (int r = 0; r < job_.size(); ++r)
    if (to_wait_for(r)) send_or_defer(r, stamped(bye, 0), {});
  if (rails_ != nullptr) lose_patience();
  const auto until = sync::clock::now() + patience;
  const auto waits_for = [&](int r) {
    // Its answer may be lost; who has acknowledged the farewell has heard it.
    return any_deferred_.load() || (to_wait_for(r) && !has_taken_all(r));
  };
  for (int r = 0; r < job_.size(); ++r)
    while (waits_for(r) && sync::clock::now() < until) {
      make_progress();
      sync::wait_ladder::yield();
    }
}

}  // namespace oriel::transport
