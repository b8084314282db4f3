// The way to ranks of other nodes where there are none: what a process does with its fabric shows.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "transport/fabric.hpp"

namespace oriel::win {

using transport::pending_ops;

// A fabric whose reads and writes complete at once; nothing arrives. A test overrides what it is
// about.
class stand_in_fabric : public transport::fabric {
 public:
  errc put(const transport::remote_place&, const void*, std::size_t, bool, pending_ops&,
           pending_ops*, const transport::device_place*) noexcept override {
    return errc::success;
  }
  errc get(const transport::remote_place&, void*, std::size_t, pending_ops&, pending_ops*,
           const transport::device_place*) noexcept override {
    return errc::success;
  }
  bool test(pending_ops& ops, int) noexcept override { return ops.idle(); }
  errc wait(pending_ops& ops, int, const sync::peer_watch&) noexcept override {
    return ops.failure();
  }
  [[nodiscard]] int context_count() const noexcept override { return 1; }
  [[nodiscard]] transport::completion how() const noexcept override {
    return transport::completion::read_back;
  }

  [[nodiscard]] transport::notice_way notices() const noexcept override {
    return transport::notice_way::after_arrival;
  }

  errc put_noted(const transport::remote_place&, const void*, std::size_t,
                 const transport::completion_data&, pending_ops&, pending_ops*) noexcept override {
    return errc::system;
  }
  [[nodiscard]] bool carries(const transport::completion_data&,
                             std::size_t) const noexcept override {
    return false;
  }
  std::uint32_t number_for(transport::service&, int) noexcept override { return 0; }

  // Overridden by tests in which it is called.
  errc request(int, transport::message_head, std::span<const std::byte>, void*, std::size_t,
               pending_ops&, pending_ops*) noexcept override {
    return errc::system;
  }
  bool try_request(int, transport::message_head, std::span<const std::byte>, void*, std::size_t,
                   pending_ops&) noexcept override {
    return false;
  }
  void tick_soon() noexcept override {}
  errc request(int, transport::message_head, std::span<const std::byte>,
               std::unique_ptr<transport::answer_sink>, pending_ops&,
               pending_ops*) noexcept override {
    return errc::system;
  }
  errc tell(int, transport::message_head, std::span<const std::byte>,
            const pending_ops*) noexcept override {
    return errc::system;
  }
  errc wait_for(const std::function<bool()>&, const sync::peer_watch&) noexcept override {
    return errc::system;
  }
  errc wait_for(const std::function<bool()>&, const sync::peer_watch&,
                sync::wait_word&) noexcept override {
    return errc::system;
  }
  std::unique_ptr<transport::exposure> expose(
      void*, std::size_t, std::uint64_t, const std::optional<transport::device_place>&) override {
    return nullptr;
  }
  void lend(std::span<std::byte>) noexcept override {}
  void end_loan(std::span<std::byte>) noexcept override {}
  void keep(std::unique_ptr<transport::exposure>) noexcept override {}
  [[nodiscard]] bool keys_are_agreed() const noexcept override { return true; }
  [[nodiscard]] std::uint64_t key_of(std::uint64_t window) const noexcept override {
    return window;
  }
  void add_service(std::uint64_t, transport::service&) override {}
  void remove_service(std::uint64_t) noexcept override {}
  void reply(const transport::message_head&, errc, std::span<const std::byte>) noexcept override {}
  void start_agent() override {}
  void stop_agent() noexcept override {}
  [[nodiscard]] std::uint64_t messages() const noexcept override { return 0; }
  [[nodiscard]] std::string provider() const override { return "none"; }
  [[nodiscard]] const std::string& registers(kinds::vendor) const noexcept override {
    return nothing_;
  }
  errc send(int, const sessions::message_tag&, std::span<const std::byte>) noexcept override {
    return errc::system;
  }
  errc receive(int, const sessions::message_tag&, std::vector<std::byte>&,
               const sync::peer_watch&) noexcept override {
    return errc::system;
  }
  void answer_by_itself(sessions::standing_answer) override {}
  bool progress() noexcept override { return false; }
  [[nodiscard]] bool progresses_by_itself() const noexcept override { return true; }

 private:
  std::string nothing_;
};

}  // namespace oriel::win
