// Room in the node's memory for what one request to an owner brings and gets: this process copies
// it there, and the owner, which maps it too, uses it where it is. One for the session, and several
// for the packets of a window (packet_streams.hpp); made with the first use.
//
// Threads: any; who finds it in use goes another way, so that no window waits for another.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <span>
#include <utility>

#include "session/node/node_memory.hpp"
#include "sync/mailbox.hpp"
#include "sync/system.hpp"

namespace oriel::detail {
class session_state;
}

namespace oriel::win {

class request_room {
 public:
  static constexpr std::size_t bytes = sync::longest_named_list;  // each way

  // As an extension of the session, without a length.
  explicit request_room(detail::session_state&, std::size_t each_way = bytes);
  ~request_room();
  request_room(const request_room&) = delete;
  request_room& operator=(const request_room&) = delete;

  // The room, for as long as this lives; false where there is none.
  class turn {
   public:
    turn() = default;
    turn(turn&& other) noexcept : of_(std::exchange(other.of_, nullptr)) {}
    turn& operator=(turn other) noexcept {
      std::swap(of_, other.of_);
      return *this;
    }
    ~turn() {
      if (of_ != nullptr) of_->in_use_.store(false, std::memory_order_release);
    }
    explicit operator bool() const noexcept { return of_ != nullptr; }
    [[nodiscard]] std::span<std::byte> operands() const noexcept {
      return {of_->place(), of_->each_way_};
    }
    [[nodiscard]] const std::byte* results() const noexcept {
      return of_->place() + of_->each_way_;
    }
    // The owner may write there yet: the node's memory does not get it back.
    void abandon() noexcept {
      if (of_ != nullptr) std::exchange(of_, nullptr)->block_.reset();
    }
    // Of both, for the owner.
    [[nodiscard]] sync::named_operands names() const noexcept {
      return {*of_->block_, *of_->block_ + of_->each_way_};
    }

   private:
    friend class request_room;
    explicit turn(request_room& of) noexcept : of_(&of) {}
    request_room* of_ = nullptr;
  };
  [[nodiscard]] turn take() noexcept;
  [[nodiscard]] bool in_use() const noexcept { return in_use_.load(std::memory_order_relaxed); }

 private:
  [[nodiscard]] std::byte* place() const noexcept;

  sessions::node_memory& memory_;
  std::size_t each_way_;
  std::atomic<bool> in_use_{false};
  std::optional<std::uint64_t> block_;  // changes in a turn
};

// As many of one length as threads use at once.
class request_rooms {
 public:
  request_rooms(detail::session_state& session, std::size_t each_way) noexcept
      : session_(session), each_way_(each_way) {}
  // False where all are in use and the node's memory has none for another.
  [[nodiscard]] request_room::turn take() noexcept;

 private:
  detail::session_state& session_;
  std::size_t each_way_;
  sync::mutex changing_;
  std::list<request_room> all_;
};

}  // namespace oriel::win
