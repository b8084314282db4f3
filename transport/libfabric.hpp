// The fabric over libfabric: one endpoint, the operations under way, and what arrives.
//
// Messages that handlers cannot send at once are queued, so no call ever waits for another inside a
// handler.
//
// Threads: any.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <initializer_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sync/system.hpp"
#include "transport/contexts.hpp"
#include "transport/device_registration.hpp"
#include "transport/endpoint.hpp"
#include "transport/fabric.hpp"
#include "transport/inbox.hpp"
#include "transport/lanes.hpp"
#include "transport/operation_pool.hpp"
#include "transport/own_buffers.hpp"
#include "transport/rails.hpp"
#include "transport/service_thread.hpp"

namespace oriel::transport {

class libfabric final : public fabric {
 public:
  struct settings {
    std::uint64_t job = 0;  // what messages of this job carry
    completion how = completion::delivery;
    notice_way notices = notice_way::after_arrival;
    std::size_t data_bytes = 0;        // of completion data
    bool polls = false;                // waits never sleep: ORIEL_FABRIC_WAIT=poll
    bool lanes = false;                // short messages are written: ORIEL_FABRIC_LANES
    int contexts = 1;                  // endpoints of threads: ORIEL_CONTEXTS
    device_registrations devices{};    // until they are tried: none
    std::vector<std::string> rails{};  // the interfaces, where there are several
  };
  // `more`: endpoints on further rails, in their order, for which `settings::rails` has the names.
  libfabric(std::unique_ptr<endpoint>, sessions::job&, settings,
            std::vector<std::unique_ptr<endpoint>> more = {});
  ~libfabric() override;

  // --- Messages of collectives (sessions::messenger)
  errc send(int to, const sessions::message_tag&, std::span<const std::byte>) noexcept override;
  errc receive(int from, const sessions::message_tag&, std::vector<std::byte>&,
               const sync::peer_watch&) noexcept override;
  void answer_by_itself(sessions::standing_answer) override;
  [[nodiscard]] bool stays_out(std::uint64_t group, int rank) const noexcept override {
    return inbox_.stays_out(group, rank);
  }
  [[nodiscard]] bool any_stays_out(std::uint64_t group) const noexcept override {
    return inbox_.any_stays_out(group);
  }
  bool progress() noexcept override;
  bool progress_asleep() noexcept override { return make_progress() > 0; }
  [[nodiscard]] bool progresses_by_itself() const noexcept override { return agent_users_ > 0; }

  // --- Reads, writes and requests
  errc put(const remote_place&, const void* from, std::size_t bytes, bool keep, pending_ops&,
           pending_ops* second = nullptr, const device_place* device = nullptr) noexcept override;
  errc get(const remote_place&, void* to, std::size_t bytes, pending_ops&,
           pending_ops* second = nullptr, const device_place* device = nullptr) noexcept override;
  errc put_noted(const remote_place&, const void* from, std::size_t bytes, const completion_data&,
                 pending_ops&, pending_ops* second = nullptr) noexcept override;
  [[nodiscard]] bool carries(const completion_data& d, std::size_t bytes) const noexcept override {
    return bytes <= port_->info().ep_attr->max_msg_size &&
           d.packed(settings_.data_bytes).has_value();
  }
  std::uint32_t number_for(service& s, int from) noexcept override {
    return settings_.data_bytes == 0
               ? 0
               : numbers_.give({&s, from}, completion_data::in(settings_.data_bytes).number);
  }
  std::span<std::byte> take_room() noexcept override;
  void give_room(std::span<const std::byte> payload) noexcept override {
    if (send_buffer* const b = lent_for(payload)) give_send_buffer(*b);
  }
  std::size_t longest_in_order(int to) noexcept override {
    return lanes_ != nullptr && lanes_->leads_to(to) ? longest_unordered_payload : longest_payload;
  }
  // A connection that breaks keeps the buffers of longer ones, which the provider cuts.
  [[nodiscard]] std::size_t longest_out_of_order() const noexcept override {
    return rails_ == nullptr ? longest_unordered_payload : longest_payload;
  }
  errc request(int to, message_head head, std::span<const std::byte> payload, void* result,
               std::size_t result_bytes, pending_ops&,
               pending_ops* second = nullptr) noexcept override;
  bool try_request(int to, message_head head, std::span<const std::byte> payload, void* result,
                   std::size_t result_bytes, pending_ops&) noexcept override;
  errc request(int to, message_head head, std::span<const std::byte> payload,
               std::unique_ptr<answer_sink> result, pending_ops&,
               pending_ops* second = nullptr) noexcept override;
  bool answers_sooner(int to, std::size_t bytes) noexcept override;
  errc tell(int to, message_head head, std::span<const std::byte> payload = {},
            const pending_ops* behind = nullptr) noexcept override;
  errc wait(pending_ops& ops, int target, const sync::peer_watch&) noexcept override;
  bool test(pending_ops& ops, int target) noexcept override;
  errc wait_for(const std::function<bool()>& done, const sync::peer_watch&) noexcept override;
  errc wait_for(const std::function<bool()>& done, const sync::peer_watch&,
                sync::wait_word& bell) noexcept override;

  // --- Memory
  std::unique_ptr<exposure> expose(void* memory, std::size_t bytes, std::uint64_t window,
                                   const std::optional<device_place>& device) override;
  void keep(std::unique_ptr<exposure>) noexcept override;
  void owns(std::span<std::byte> block) noexcept override {
    if (port_->wants_local_registration()) own_buffers_.add(block.data(), block.size());
  }
  void gives_back(const std::byte* block) noexcept override { own_buffers_.remove(block); }
  void lend(std::span<std::byte> memory) noexcept override {
    if (port_->wants_local_registration()) own_buffers_.lend(memory.data(), memory.size());
  }
  void end_loan(std::span<std::byte> memory) noexcept override {
    own_buffers_.end_loan(memory.data(), memory.size());
  }
  [[nodiscard]] bool keys_are_agreed() const noexcept override { return port_->keys_are_agreed(); }
  // Strangers cannot guess it.
  [[nodiscard]] std::uint64_t key_of(std::uint64_t window) const noexcept override {
    return settings_.job ^ window;
  }

  // --- Serving
  void add_service(std::uint64_t id, service&) override;
  void remove_service(std::uint64_t id) noexcept override;
  void tick_soon() noexcept override {
    if (!ticking_.load(std::memory_order_relaxed)) ticking_.store(true, std::memory_order_relaxed);
  }
  void reply(const message_head& asked, errc outcome,
             std::span<const std::byte> payload) noexcept override;
  void start_agent() override;
  void stop_agent() noexcept override;

  // --- What is known of it
  [[nodiscard]] std::uint64_t messages() const noexcept override {
    return messages_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] completion how() const noexcept override { return settings_.how; }
  [[nodiscard]] notice_way notices() const noexcept override { return settings_.notices; }
  [[nodiscard]] std::string provider() const override { return provider_name(port_->info()); }
  [[nodiscard]] const std::string& registers(kinds::vendor v) const noexcept override {
    return settings_.devices[v];
  }
  [[nodiscard]] endpoint& port() noexcept { return *port_; }
  [[nodiscard]] std::uint64_t written_messages() const noexcept override {
    return lanes_ == nullptr ? 0 : lanes_->written();
  }
  [[nodiscard]] std::string interfaces() const override {
    return rails_ == nullptr ? "" : rails_->in_words(job_.failed_rails());
  }
  // By which reads and writes go, with the first.
  [[nodiscard]] int context_count() const noexcept override {
    return uses_contexts() ? 1 + static_cast<int>(contexts_.ports().size()) : 1;
  }
  // Requires: only the probe has put anything.
  void settle_for(completion how) noexcept { settings_.how = how; }
  // Requires: no window is there.
  void settle_for(notice_way notices, std::size_t data_bytes) noexcept {
    settings_.notices = notices;
    settings_.data_bytes = notices == notice_way::with_data ? data_bytes : 0;
  }
  // What the provider promises of this rank's writes and messages, which must go by one endpoint.
  [[nodiscard]] notice_way promised_notices() const noexcept {
    const bool one = contexts_.ports().empty() && rails_ == nullptr;
    if (!one || !port_->sends_behind_writes()) return notice_way::after_arrival;
    return port_->completion_data_bytes() != 0 ? notice_way::with_data : notice_way::behind;
  }

 private:
  static constexpr int no_rail = -1;
  struct receive_buffer : context {
    std::size_t length = 0;  // of the message in it
    int rail = 0;
    receive_buffer* next = nullptr;  // in a queue below
    std::span<std::byte> bytes;      // in receive_room_
  };
  struct send_buffer : context {
    int to = 0;
    int rail = no_rail;  // by which it is on its way
    std::size_t length = 0;
    std::span<std::byte> bytes;  // in send_room_
  };
  // Of buffers that wait for something, in order; takes no memory.
  struct buffer_queue {
    receive_buffer* first = nullptr;
    receive_buffer* last = nullptr;
    void add(receive_buffer&) noexcept;
    receive_buffer& take() noexcept;
  };
  struct deferred {
    int to;
    std::vector<std::byte> bytes;
    // After a connection has failed: at once when the provider was only busy.
    sync::clock::time_point not_before{};
  };
  static constexpr std::size_t receives = 64;
  static constexpr std::size_t sends = 32;
  // Requests under way at a time: what a target may have to hold for this process.
  static constexpr std::size_t most_requests = 256;
  // Reads and writes likewise: enough to fill any pipe, and what providers take without complaint.
  static constexpr std::size_t most_transfers = 1024;
  // How long the failure detector may take besides, after a silence.
  static constexpr std::chrono::seconds found_within{2};

  // Posting a message takes the room that its payload was composed in, where it succeeds.
  message_head stamped(message_head head, std::size_t payload) const noexcept;
  void post(receive_buffer&) noexcept;
  ssize_t try_message(int to, const message_head& head,
                      std::span<const std::byte> payload) noexcept {
    return rails_ != nullptr   ? post_numbered(to, head, payload)
           : lanes_ != nullptr ? post_by_lane(to, head, payload)
                               : post_message(0, to, head, payload);
  }
  ssize_t post_by_lane(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  ssize_t post_long(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  void offer_lane(int to, bool asked) noexcept;
  // Null where so many more are not idle.
  send_buffer* take_send_buffer(std::size_t to_spare = 0) noexcept;
  void give_send_buffer(send_buffer&) noexcept;
  // Whose room holds it, behind that of the head; else null.
  send_buffer* lent_for(std::span<const std::byte> payload) noexcept;
  ssize_t post_message(int rail, int to, const message_head&,
                       std::span<const std::byte> payload) noexcept;
  errc send_message(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  [[nodiscard]] bool is_deferred_to(int rank) noexcept;
  void send_or_defer(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  // `parts`: of one message. False when there is no memory to keep it.
  bool defer(int to, std::initializer_list<std::span<const std::byte>> parts) noexcept;
  void know_kept(operation&) noexcept;
  errc register_for(operation&, void* buffer, std::size_t bytes,
                    const device_place* device) noexcept;
  // `flags`: libfabric's, of each piece.
  errc write(const remote_place&, const void* from, std::size_t bytes, bool keep, pending_ops&,
             pending_ops* second, const device_place*, std::uint64_t flags,
             std::uint64_t data) noexcept;
  void noted(std::uint64_t data) noexcept;
  template <class Post>
  errc until_posted(int to, Post post) noexcept;
  // `attempt(port)` by this thread's endpoint.
  template <class Post>
  errc until_posted_by_mine(int to, Post attempt) noexcept;
  // The same by the rail of the `piece`-th part.
  template <class Post>
  errc until_posted_by_rail(operation&, std::size_t piece, Post attempt) noexcept;
  // Elsewhere what completes writes must go by the same endpoint.
  [[nodiscard]] bool uses_contexts() const noexcept {
    return settings_.how == completion::delivery;
  }
  template <class Take>
  errc send_request(int to, message_head head, std::span<const std::byte> payload,
                    Take take) noexcept;
  template <class Prepare, class Post>
  errc transfer(const remote_place&, std::size_t bytes, pending_ops&, pending_ops* second, Prepare,
                Post) noexcept;
  bool give_up_all_but(int to) noexcept;
  errc until_room(int to, std::size_t most,
                  std::size_t (operation_pool::*count)() const noexcept) noexcept;
  // `target`: the rank that is waited for, or any_watched. `sleep(look, clock)` returns true once
  // look() has, and false when it is time to stay awake for a while: something has happened, or the
  // clock is due.
  template <class Done, class Sleep>
  errc wait_until(Done done, const sync::peer_watch&, int target, Sleep sleep) noexcept;
  template <class Done>
  errc wait_until(Done done, const sync::peer_watch&, int target) noexcept;
  template <class Look>
  bool sleep_at_port(Look look, const sync::patience_clock&) noexcept;
  template <class Look>
  bool sleep_at_port_and(sync::wait_word& bell, Look look, const sync::patience_clock&) noexcept;
  int make_progress() noexcept;
  void completed(context&, std::size_t bytes, int failure) noexcept;
  // False where it is to be shown again, since there was no memory for it.
  bool arrived(std::span<const std::byte>) noexcept;
  bool handled(const message&) noexcept;
  void send_replies(const std::vector<inbox::reply>&) noexcept;
  auto handler() noexcept {
    return [this](const message& m) { return handled(m); };
  }
  void receive_again() noexcept;
  void send_again(send_buffer&, errc failure) noexcept;
  void drain_deferred() noexcept;
  void lose(int rank) noexcept;
  // Fails what is under way to the ranks that have gone since the last call.
  void lose_the_gone() noexcept;
  [[nodiscard]] bool any_lost() const noexcept;
  // Tests all ranks that owe an answer, and gives up on those that have died.
  void look_at_debtors() noexcept;

  // --- Where there are several rails (fabric_numbered.cpp, fabric_rails.cpp)
  [[nodiscard]] endpoint& port_of(int rail) noexcept {
    return rails_ == nullptr ? *port_ : rails_->port(rail);
  }
  [[nodiscard]] std::size_t rail_count() const noexcept {
    return rails_ == nullptr ? 1 : static_cast<std::size_t>(rails_->count());
  }
  ssize_t post_numbered(int to, const message_head&, std::span<const std::byte> payload) noexcept;
  bool arrived_by_rail(const message&, std::span<const std::byte> bytes) noexcept;
  bool take_in_turn(rails::peer&, const message&, std::span<const std::byte> bytes) noexcept;
  void note_taken(rails::peer&, const taken_messages&) noexcept;
  void acknowledge(rails::peer&) noexcept;
  bool try_acknowledgement(rails::peer&, int rail) noexcept;
  int poll_rails() noexcept;
  void look_for_the_late() noexcept;
  void ask_if_late(rails::peer&, rails::clock::time_point now) noexcept;
  void lose_patience() noexcept;
  // Whether all messages to the rank are acknowledged, where they are.
  bool has_taken_all(int r) noexcept;
  void close_failed_rails() noexcept;
  void close_rails(std::uint32_t which) noexcept;
  void move_on() noexcept;
  bool move_on(rails::peer&, rails::clock::time_point now) noexcept;
  std::optional<errc> judged(operation&, rails::clock::time_point now, bool& more) noexcept;
  std::optional<errc> issue_again(operation&, const rails::peer&, bool& more) noexcept;
  bool outlives(operation&, errc failure) noexcept;
  void resend(int to) noexcept;
  bool give_up_rail(int rail) noexcept;
  bool gives_up_rail_to(int rank) noexcept;
  bool sleep(std::chrono::microseconds at_most) noexcept {
    return rails_ == nullptr ? port_->sleep(contexts_.ports(), at_most) : rails_->sleep(at_most);
  }
  void wake() noexcept { rails_ == nullptr ? port_->wake() : rails_->wake(); }

  class at_descriptor;
  std::unique_ptr<service_thread::rest> make_rest();
  void say_farewell() noexcept;

  std::unique_ptr<endpoint> port_;
  std::unique_ptr<rails> rails_;  // null where there is one
  std::unique_ptr<lanes> lanes_;  // null where messages are sent alone
  contexts contexts_;
  sessions::job& job_;
  settings settings_;

  // Apart from what is kept of each buffer, so that pages are taken as messages come.
  using room = std::unique_ptr<std::array<std::byte, longest_message>[]>;
  room receive_room_, send_room_;
  std::unique_ptr<receive_buffer[]> receive_buffers_;
  std::unique_ptr<send_buffer[]> send_buffers_;
  memory_region receive_region_, send_region_;
  // Under the mutex of progress: messages that there was no memory for, and buffers that the
  // provider did not take.
  buffer_queue unheard_, unposted_;
  sync::mutex kept_mutex_;
  std::vector<std::unique_ptr<exposure>> kept_;
  sync::mutex idle_sends_mutex_;
  std::vector<send_buffer*> idle_sends_;

  operation_pool operations_;
  own_buffers own_buffers_;  // the registrations of its slabs end before these
  inbox inbox_;
  notice_numbers numbers_;
  std::atomic<std::uint64_t> messages_{0};
  std::vector<std::atomic<bool>> spoken_to_;  // by rank: a last message goes to them
  std::vector<std::atomic<bool>> parted_;     // they have answered it, or sent theirs

  sync::mutex progress_mutex_;               // one thread makes progress, and runs the services
  std::atomic<sync::thread::id> serving_{};  // that thread
  std::map<std::uint64_t, service*> services_;
  std::size_t losses_seen_ = 0;       // of the job's
  std::uint32_t asked_to_close_ = 0;  // rails that others have closed
  rails::clock::time_point next_move_{}, next_look_{};
  std::size_t next_looked_at_ = 0;  // a rank
  // A failed rail or connection, or what it did not take, has left something to do.
  std::atomic<bool> moves_on_{false};
  std::atomic<bool> ticking_{false};  // some service may have something to do at a tick
  sync::mutex deferred_mutex_;
  std::list<deferred> deferred_;  // moved about without taking memory
  bool draining_ = false;         // some of them are amid being sent, or tried
  std::atomic<bool> any_deferred_{false};

  std::atomic<std::int64_t> next_tested_look_{0};  // in nanoseconds of the steady clock
  std::atomic<int> agent_users_{0};
  std::atomic<std::uint64_t> polls_{0};  // of the application's threads
  sync::mutex agent_mutex_;
  service_thread agent_{make_rest()};
};

}  // namespace oriel::transport
