// The memory of one rank in a simulated session's window: the window's own; or the rank's, which it
// brings, and may exchange for other memory while nobody accesses it.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <utility>

#include "oriel/session.hpp"
#include "tests/sim/protocols/session_oracle.hpp"
#include "tests/sim/protocols/session_program.hpp"

namespace oriel::sim {

// Words that end with their object: whoever accesses them then crashes.
class mapped_words {
 public:
  mapped_words() noexcept = default;
  explicit mapped_words(std::size_t words) : bytes_(words * sizeof(std::uint64_t)) {
    at_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at_ == MAP_FAILED) throw std::bad_alloc();
  }
  mapped_words(mapped_words&& other) noexcept
      : at_(std::exchange(other.at_, nullptr)), bytes_(other.bytes_) {}
  mapped_words& operator=(mapped_words&& other) noexcept {
    std::swap(at_, other.at_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~mapped_words() {
    if (at_ != nullptr) munmap(at_, bytes_);
  }
  [[nodiscard]] std::span<std::uint64_t> words() const noexcept {
    return {static_cast<std::uint64_t*>(at_), bytes_ / sizeof(std::uint64_t)};
  }
  // Others may still access it.
  void abandon() noexcept { at_ = nullptr; }

 private:
  void* at_ = nullptr;
  std::size_t bytes_ = 0;
};

class session_memory {
 public:
  // Collective of the team.
  session_memory(const program& p, session_oracle& oracle, session& job, const team& of)
      : program_(p), kind_(p), oracle_(oracle), job_(job), team_(of), me_(of.me().value) {
    const bool brings = kind_.where != session_kind::memory::allocated;
    if (brings) bring();
    window_ = make_window();
    if (kind_.where == session_kind::memory::attached) {
      expose();
      team_.barrier().or_throw();  // until then the others have no place to access
    }
  }
  ~session_memory() {
    if (!window_.valid()) return;
    const status freed = window_.free();
    must(freed.ok() || any_dead(program_),
         "a window could not be freed, and nobody has died: " + std::string(name(freed.code())));
    if (freed.code() == errc::timed_out || freed.code() == errc::mismatched_collective)
      private_.abandon();
  }
  session_memory(const session_memory&) = delete;
  session_memory& operator=(const session_memory&) = delete;

  [[nodiscard]] session_words& window() noexcept { return window_; }
  [[nodiscard]] std::span<const std::uint64_t> words() const {
    return kind_.where == session_kind::memory::allocated ? window_.local() : mine_;
  }
  // Requires: nobody accesses it. Returns false where a call has failed.
  bool move() {
    if (kind_.where != session_kind::memory::attached) return true;
    const std::span<std::uint64_t> before = mine_;
    mapped_words kept = std::exchange(private_, mapped_words());
    const segment_handle exposed = handle_;
    bring();
    std::copy(before.begin(), before.end(), mine_.begin());
    expose();
    const status hidden = window_.detach(exposed);
    if (!hidden.ok()) kept.abandon();
    if (hidden.ok() && kind_.of_node) job_.free_mem(std::as_writable_bytes(before)).or_throw();
    return well(program_, hidden, "detach");
  }

 private:
  void bring() {
    const std::size_t n = session_layout::words(program_.ranks);
    if (kind_.of_node) {
      const std::span<std::byte> given = job_.alloc_mem(n * sizeof(std::uint64_t));
      mine_ = {reinterpret_cast<std::uint64_t*>(given.data()), n};
    } else {
      private_ = mapped_words(n);
      mine_ = private_.words();
    }
  }
  void expose() {
    const auto s = window_.attach(mine_);
    handle_ = s.handle;
    oracle_.place(me_, s.first.value);
  }
  session_words make_window() {
    window_options options;
    options.notify_counters = static_cast<std::size_t>(program_.ranks);
    options.aggregate = kind_.aggregates;
    assertion_set asserted =
        assertion::local_load_store | assertion::multi_element | assertion::notify;
    if (kind_.fences()) asserted = asserted | assertion::fence;
    if (kind_.exposes()) asserted = asserted | assertion::pscw;
    if (kind_.flushes()) asserted = asserted | assertion::shared_lock | assertion::exclusive_lock;
    if (kind_.orders_replaces) asserted = asserted | assertion::ordered_replace;
    if (kind_.orders_notices) asserted = asserted | assertion::ordered_notify;
    switch (kind_.where) {
      case session_kind::memory::allocated:
        return session_words::allocate(team_, session_layout::words(program_.ranks), asserted,
                                       options);
      case session_kind::memory::created:
        return session_words::create(team_, mine_, asserted, options);
      case session_kind::memory::attached:
        break;
    }
    return session_words::create(team_, asserted | assertion::attach, options);
  }

  const program& program_;
  session_kind kind_;
  session_oracle& oracle_;
  session& job_;
  team team_;
  int me_;
  mapped_words private_;
  std::span<std::uint64_t> mine_;
  segment_handle handle_{};
  session_words window_;
};

}  // namespace oriel::sim
