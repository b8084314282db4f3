// when_all: several completions as one.
//
//   when_all(w.rput(north, …), w.rput(south, …), other).wait().or_throw();
//   co_await when_all(requests);  // a vector, or any range
//
// What is given by name is referred to, and outlives it; what is a temporary is moved into it.
#pragma once

#include <cstddef>
#include <iterator>
#include <tuple>
#include <type_traits>
#include <utility>

#include "oriel/continuation.hpp"

namespace oriel {

template <class R>
concept completion_range =
    completion<std::remove_cvref_t<decltype(*std::begin(std::declval<R&>()))>>;

// Of as many as are written. Threads: one at a time.
template <class... C>
class all_of : public composable<all_of<C...>> {
 public:
  explicit all_of(C&&... parts) : parts_(std::forward<C>(parts)...) {}

  // Returns whether all are complete; those that are go on with what follows them.
  [[nodiscard]] bool test() noexcept {
    return std::apply([](auto&... each) { return (true & ... & each.test()); }, parts_);
  }
  // Blocks until all are complete, those that fail too. Returns the first failure in their order,
  // else success. Throws what the first throws that throws.
  status wait() {
    while (!test()) block();
    status first;
    std::apply([&first](auto&... each) { (keep(first, each.wait()), ...); }, parts_);
    return first;
  }
  // For those that wait for several.
  void block() {
    std::apply([](auto&... each) { static_cast<void>((blocked_on(each) || ...)); }, parts_);
  }

 private:
  static void keep(status& first, status one) noexcept {
    if (first.ok()) first = one;
  }
  template <class One>
  static bool blocked_on(One& one) {
    if (one.test()) return false;
    detail::block_on(one);
    return true;
  }

  std::tuple<C...> parts_;
};

// Of the elements of a range, which does not change meanwhile. Threads: one at a time.
template <class R>
class all_in : public composable<all_in<R>> {
  using element = std::remove_cvref_t<decltype(*std::begin(std::declval<R&>()))>;

 public:
  explicit all_in(R&& range) : range_(std::forward<R>(range)) {}

  // As all_of's.
  [[nodiscard]] bool test() noexcept {
    bool all = true;
    std::size_t i = 0;
    for (element& one : range_) {
      if (i++ < complete_) continue;
      if (one.test()) {
        if (all) complete_ = i;
        continue;
      }
      all = false;
      if constexpr (!detail::stepwise<element>) break;  // the others go on by themselves
    }
    return all;
  }
  status wait() {
    if constexpr (detail::stepwise<element>)
      while (!test()) block();
    status first;
    for (element& one : range_) {
      const status ended = one.wait();
      if (first.ok()) first = ended;
    }
    return first;
  }
  void block() {
    std::size_t i = 0;
    for (element& one : range_)
      if (i++ >= complete_ && !one.test()) return detail::block_on(one);
  }

 private:
  R range_;
  std::size_t complete_ = 0;  // so many are known to be, from the first on
};

template <class... C>
requires(sizeof...(C) > 0 && (completion<std::remove_cvref_t<C>> && ...))
    [[nodiscard]] all_of<C...> when_all(C&&... parts) {
  return all_of<C...>(std::forward<C>(parts)...);
}
template <class R>
requires(!completion<std::remove_cvref_t<R>> && completion_range<R>)
    [[nodiscard]] all_in<R> when_all(R&& range) {
  return all_in<R>(std::forward<R>(range));
}

}  // namespace oriel
