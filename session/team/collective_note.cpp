#include "session/team/collective_note.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <initializer_list>
#include <string_view>

#include "oriel/detail/named_call.hpp"
#include "session/team/team_state.hpp"
#include "session/utf8_text.hpp"

namespace oriel {
namespace {

thread_local constinit const detail::named_call* call_of_this_thread = nullptr;

}  // namespace

namespace detail {

named_call::named_call(std::string_view whose, std::string_view call) noexcept
    : whose_(whose), call_(call) {
  if (call_of_this_thread == nullptr) call_of_this_thread = this;
}
named_call::~named_call() {
  if (call_of_this_thread == this) call_of_this_thread = nullptr;
}
const named_call* named_call::of_this_thread() noexcept {
  return call_of_this_thread;
}

}  // namespace detail

namespace sessions {
namespace {

template <std::size_t N>
void write(std::atomic<std::uint64_t> (&to)[N], const std::array<std::uint64_t, N>& words) {
  for (std::size_t i = 0; i < N; ++i) to[i].store(words[i], std::memory_order_relaxed);
}

using name_words = std::array<std::uint64_t, present_collective::longest_name / 8>;

name_words words_of(std::initializer_list<std::string_view> parts) noexcept {
  name_words words{};
  auto* const begin = reinterpret_cast<char*>(words.data());
  char* at = begin;
  for (const std::string_view part : parts) {
    std::memcpy(at, part.data(), part.size());
    at += part.size();
  }
  make_utf8({begin, at});
  return words;
}

// As much as there is room for of a call's name. Where that is made of two parts, the second is
// whole: it says what is done.
name_words name_of_call(const char* name) noexcept {
  if (name != nullptr) return words_of({cut_text(name, sizeof(name_words))});
  const detail::named_call* const made = detail::named_call::of_this_thread();
  if (made == nullptr) return {};
  const std::string_view call = cut_text(made->call(), sizeof(name_words) / 2);
  const std::size_t room = sizeof(name_words) - call.size();
  if (made->whose().size() <= room) return words_of({made->whose(), call});
  constexpr std::string_view cut = "...': ";
  return words_of({cut_text(made->whose(), room - cut.size()), cut, call});
}

}  // namespace

void collective_note::asleep(sync::clock::time_point began) noexcept {
  if (shown_ == nullptr) {
    detail::session_state& session = team_.session();
    present_collective& mine =
        session.memory().member(session.job().node_rank_of(session.job().rank())).collective;
    if (mine.taken.exchange(1, std::memory_order_acquire) != 0) return;
    write(mine.call, std::bit_cast<std::array<std::uint64_t, 2>>(call_));
    write(mine.name, name_of_call(name_));
    shown_ = &mine;
  }
  const collectives::absentees absent =
      awaited_ ? collectives::absentees{*awaited_, 0} : team_.absent();
  shown_->awaited.store(absent.first < 0 ? -1 : team_.world_rank(absent.first),
                        std::memory_order_relaxed);
  shown_->more.store(absent.more, std::memory_order_relaxed);
  if (shown_->since.load(std::memory_order_relaxed) == 0)
    shown_->since.store(
        std::chrono::duration_cast<std::chrono::nanoseconds>(began.time_since_epoch()).count(),
        std::memory_order_release);
}

void collective_note::hide() noexcept {
  shown_->since.store(0, std::memory_order_relaxed);
  shown_->taken.store(0, std::memory_order_release);
}

}  // namespace sessions
}  // namespace oriel
