// A process's way to the ranks of other nodes, as windows use it: remote reads and writes, requests
// that the owner of memory answers, and the messages that teams' collectives are made of. Opened
// once, with the session; windows take their share of it at construction. libfabric.hpp has the one
// that there is, and a build without libfabric has none (no_fabric.cpp).
//
// Progress. Everything moves while some thread is in progress(): every wait of the process calls
// it, and so does the agent, a thread that runs only while some window needs it.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "session/team/messenger.hpp"
#include "transport/answer_sink.hpp"
#include "transport/completion_data.hpp"
#include "transport/device_place.hpp"
#include "transport/message.hpp"
#include "transport/pending_ops.hpp"

namespace oriel::transport {

// How a put is made complete at its target: found out when the session opens, the first that works.
enum class completion : std::uint8_t {
  delivery,      // each write completes once it has arrived (FI_DELIVERY_COMPLETE)
  read_back,     // a small read, which the provider keeps behind the writes
  acknowledged,  // the owner's process writes, and answers
};
constexpr std::string_view name(completion c) noexcept {
  return c == completion::delivery    ? "delivery-complete writes"
         : c == completion::read_back ? "a read behind the writes"
                                      : "acknowledgement by the owner";
}

// When a notification may leave for a rank whose memory has been put to: found out likewise.
enum class notice_way : std::uint8_t {
  with_data,      // as behind; and writes carry notifications as completion data
  behind,         // at once: messages come behind the writes that their sender has begun before
  after_arrival,  // once what was put has arrived
};
constexpr std::string_view name(notice_way w) noexcept {
  return w == notice_way::with_data ? "of more than 16 KiB are completion data of the writes, and "
                                      "others follow what they must not pass as messages"
         : w == notice_way::behind  ? "follow what they must not pass as messages"
                                    : "leave once what they must not pass has arrived";
}

// What a window has its owners do.
class service {
 public:
  virtual ~service() = default;
  // A request has arrived. Runs on whatever thread makes progress, one at a time; must not wait.
  // The answer goes through fabric::reply, now or later.
  virtual void serve(const message&) noexcept = 0;
  // Called until it returns false, after a request has made something wait here (a lock).
  virtual bool tick() noexcept { return false; }
  // A write of `from` has arrived whose completion data say so. Runs as serve does.
  virtual void noted(int from, std::uint32_t counter, std::uint32_t amount) noexcept {
    static_cast<void>(from), static_cast<void>(counter), static_cast<void>(amount);
  }
};

// Memory that other nodes read and write, for as long as it lives.
struct exposure {
  virtual ~exposure() = default;
  std::uint64_t key = 0;
  std::uint64_t base = 0;  // what peers add to a displacement
};

class fabric : public sessions::messenger {
 public:
  // --- Reads, writes and requests: each begins both waiters and ends them when it is complete
  // at the target. Ranks are world ranks. A failure to start is returned and not counted.
  // `keep`: the source may be reused on return (at most most_kept bytes of the host's memory).
  // `to` is null where what is read is dropped (at most most_kept bytes).
  // `device`: where the buffer lives when it is a device kind's, of a vendor whose memory is
  // registered here; null for the host's.
  virtual errc put(const remote_place&, const void* from, std::size_t bytes, bool keep,
                   pending_ops&, pending_ops* second = nullptr,
                   const device_place* device = nullptr) noexcept = 0;
  virtual errc get(const remote_place&, void* to, std::size_t bytes, pending_ops&,
                   pending_ops* second = nullptr,
                   const device_place* device = nullptr) noexcept = 0;
  // As put, of the host's memory; the target's service has `data` once the bytes are there.
  // Complete when the source is reusable; messages to the target come behind it. Requires:
  // carries(data, bytes).
  virtual errc put_noted(const remote_place&, const void* from, std::size_t bytes,
                         const completion_data& data, pending_ops&,
                         pending_ops* second = nullptr) noexcept = 0;
  // Returns whether one write of `bytes` can carry it.
  [[nodiscard]] virtual bool carries(const completion_data&, std::size_t bytes) const noexcept = 0;
  // By which completion data of rank `from` name the service, until it is removed; 0 where none
  // can.
  virtual std::uint32_t number_for(service&, int from) noexcept = 0;
  // Room for a payload of longest_unordered_payload bytes, that leaves from there uncopied. One
  // request or reply with that payload takes it back, whatever becomes of it; or give_room does.
  // Empty where there is none to spare.
  [[nodiscard]] virtual std::span<std::byte> take_room() noexcept { return {}; }
  // Nothing happens to other memory.
  virtual void give_room(std::span<const std::byte>) noexcept {}
  // Payloads of so many bytes are not passed by others to the rank, from now on.
  [[nodiscard]] virtual std::size_t longest_in_order(int to) noexcept {
    static_cast<void>(to);
    return longest_payload;
  }
  // Longer ones are not sent; those that are not in order may be passed.
  [[nodiscard]] virtual std::size_t longest_out_of_order() const noexcept {
    return longest_unordered_payload;
  }
  // Sends `head` (addressee, call, body) with the payload; the answer's bytes go to
  // `result`. The source may be reused on return.
  virtual errc request(int to, message_head head, std::span<const std::byte> payload, void* result,
                       std::size_t result_bytes, pending_ops&,
                       pending_ops* second = nullptr) noexcept = 0;
  // The same where it can begin now, else returns false and has done nothing. Also from a service.
  virtual bool try_request(int to, message_head head, std::span<const std::byte> payload,
                           void* result, std::size_t result_bytes, pending_ops&) noexcept = 0;
  // The same, whose answer's bytes `result` takes. It ends with the request, however that ends.
  virtual errc request(int to, message_head head, std::span<const std::byte> payload,
                       std::unique_ptr<answer_sink> result, pending_ops&,
                       pending_ops* second = nullptr) noexcept = 0;
  // Whether a request that is answered by `bytes` comes back sooner than a read of them: the next
  // one.
  [[nodiscard]] virtual bool answers_sooner(int to, std::size_t bytes) noexcept {
    static_cast<void>(to), static_cast<void>(bytes);
    return false;
  }
  // Without an answer. `behind`, where it is not null, counts operations to the same rank that were
  // begun before: once one of them has failed nothing is sent, and its failure is returned.
  virtual errc tell(int to, message_head head, std::span<const std::byte> payload = {},
                    const pending_ops* behind = nullptr) noexcept = 0;
  // Blocks until `ops` is idle. Returns its failure and does not take it; peer_failed when `target`
  // has died (any_watched: when a watched rank has), timed_out after the watch's time-out: then
  // nothing is pending any more.
  static constexpr int any_watched = -1;
  virtual errc wait(pending_ops& ops, int target, const sync::peer_watch&) noexcept = 0;
  // Whether `ops` is idle; makes progress and does not wait. True in bounded time when `target` has
  // died: all that is under way to it has failed then.
  virtual bool test(pending_ops& ops, int target) noexcept = 0;
  // Until `done()`, which what arrives may make true.
  virtual errc wait_for(const std::function<bool()>& done, const sync::peer_watch&) noexcept = 0;
  // The same where ranks of this node may make it true too, which ring `bell` then
  // (sync/doorbell.hpp).
  virtual errc wait_for(const std::function<bool()>& done, const sync::peer_watch&,
                        sync::wait_word& bell) noexcept = 0;

  // --- Memory
  // For remote reads and writes of the other ranks, under `window`'s name. `device`: where memory
  // of a device kind lives; nothing for the host's. Throws errc::no_mem when a limit on registered
  // memory (RLIMIT_MEMLOCK) is in the way, else errc::system.
  virtual std::unique_ptr<exposure> expose(void* memory, std::size_t bytes, std::uint64_t window,
                                           const std::optional<device_place>& device) = 0;
  // Memory that a program has given to a window, to keep until the end of the loan: it may be
  // registered once for this process's own reads and writes. Loans may overlap.
  virtual void lend(std::span<std::byte> memory) noexcept = 0;
  virtual void end_loan(std::span<std::byte> memory) noexcept = 0;
  // Memory that ranks may still access stays exposed until the session ends.
  virtual void keep(std::unique_ptr<exposure>) noexcept = 0;
  // Returns whether no keys and addresses need to be exchanged: key_of is every rank's key, and
  // bases are 0.
  [[nodiscard]] virtual bool keys_are_agreed() const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t key_of(std::uint64_t window) const noexcept = 0;

  // --- Serving
  virtual void add_service(std::uint64_t id, service&) = 0;
  // On return it is not being called and will not be.
  virtual void remove_service(std::uint64_t id) noexcept = 0;
  // Has every service's tick called, as if a request had arrived.
  virtual void tick_soon() noexcept = 0;
  // Answers `asked` to its sender. Called by a service.
  virtual void reply(const message_head& asked, errc outcome,
                     std::span<const std::byte> payload) noexcept = 0;
  // From now on a thread makes progress whatever the application does; counted.
  virtual void start_agent() = 0;
  virtual void stop_agent() noexcept = 0;

  // --- What is known of it
  // Messages sent so far, reads and writes not counted: for docs/SCALING.md.
  [[nodiscard]] virtual std::uint64_t messages() const noexcept = 0;
  // Those of them that were written into their receivers' memory (lanes.hpp).
  [[nodiscard]] virtual std::uint64_t written_messages() const noexcept { return 0; }
  [[nodiscard]] virtual completion how() const noexcept = 0;
  [[nodiscard]] virtual notice_way notices() const noexcept = 0;
  [[nodiscard]] virtual std::string provider() const = 0;
  // The interfaces that share what this process sends, where they are several: "eth0 and eth1".
  [[nodiscard]] virtual std::string interfaces() const { return ""; }
  // Endpoints by which this process's threads read and write.
  [[nodiscard]] virtual int context_count() const noexcept = 0;
  // Empty when the provider registers this process's memory of the vendor, else why not: tried when
  // the session opened. Other ranks may have other answers.
  [[nodiscard]] virtual const std::string& registers(kinds::vendor) const noexcept = 0;
};

// Of memory of a program's that a window uses.
class loan {
 public:
  loan() = default;
  loan(fabric& way, std::span<std::byte> memory) noexcept : way_(&way), memory_(memory) {
    if (!memory_.empty()) way_->lend(memory_);
  }
  loan(loan&& other) noexcept
      : way_(other.way_), memory_(std::exchange(other.memory_, std::span<std::byte>{})) {}
  loan& operator=(loan&& other) noexcept {
    std::swap(way_, other.way_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~loan() {
    if (!memory_.empty()) way_->end_loan(memory_);
  }

 private:
  fabric* way_ = nullptr;
  std::span<std::byte> memory_;
};

// The fabric of a session whose job spans nodes.
inline fabric& fabric_of(sessions::job& job) noexcept {
  return *static_cast<fabric*>(job.messages());
}

}  // namespace oriel::transport
