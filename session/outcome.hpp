// How one rank's part of a collective step has ended: a code, the rank and a text. The one form in
// which a failure travels to the other ranks, so that the step fails on every rank alike.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>

#include "oriel/errc.hpp"
#include "session/utf8_text.hpp"

namespace oriel::sessions {

// Keeps the characters that fit; always terminated.
template <std::size_t N>
void keep_text(std::array<char, N>& where, std::string_view what) noexcept {
  const std::string_view kept = cut_text(what, N - 1);
  std::memcpy(where.data(), kept.data(), kept.size());
  where[kept.size()] = '\0';
}

// Runs `part`; what it throws goes to `failed(code, text)` instead of to the caller, who has to
// meet the other ranks all the same.
template <class Part, class Failed>
void attempt_or(Part&& part, Failed&& failed) {
  try {
    part();
  } catch (const error& e) {
    failed(e.code(), e.what());
  } catch (const std::bad_alloc& e) {
    failed(errc::no_mem, e.what());
  } catch (const std::length_error& e) {  // of a container that cannot become so large
    failed(errc::no_mem, e.what());
  } catch (const std::exception& e) {
    failed(errc::system, e.what());
  }
}

// Plain bytes, for collectives.
struct outcome {
  errc code = errc::success;
  std::int32_t rank = 0;  // whose it is
  std::array<char, 192> text{};

  [[nodiscard]] bool ok() const noexcept { return code == errc::success; }
  [[nodiscard]] std::string_view reason() const noexcept { return text.data(); }
  // The first failure of a rank counts.
  void fail(errc why, std::string_view words) noexcept {
    if (!ok()) return;
    code = why;
    keep_text(text, words);
  }
  void fail_as(const outcome& other) noexcept {
    if (!other.ok()) fail(other.code, other.reason());
  }
  // Of several ranks that have failed, the lowest counts: for collectives::combine.
  static void merge(void* into, const void* from) noexcept {
    auto& a = *static_cast<outcome*>(into);
    outcome b;
    std::memcpy(&b, from, sizeof b);
    if (!b.ok() && (a.ok() || b.rank < a.rank)) a = b;
  }
};

// A further part of a step: not run where an earlier one has failed.
template <class Part>
void attempt(outcome& mine, Part&& part) noexcept {
  if (mine.ok()) attempt_or(part, [&mine](errc why, const char* words) { mine.fail(why, words); });
}

}  // namespace oriel::sessions
