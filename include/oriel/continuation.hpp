// What follows when something is complete: `.then` of requests, of when_all and of what `.then`
// itself returns.
//
//   auto got = w.rget(left, disp{0}, buffer);
//   auto moved = std::move(got).then([&] { return w.rput(right, disp{0}, buffer); });
//   ...
//   moved.wait().or_throw();
//
// A *completion* is what can be waited for: test() returns without blocking whether it is complete
// and makes progress; wait() blocks until it is and returns how it ended. Both serve other ranks
// meanwhile. Nothing here takes memory of its own, or a thread: a function runs when someone tests
// or waits.
#pragma once

#include <concepts>
#include <exception>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

#include "oriel/errc.hpp"

namespace oriel {

template <class C>
concept completion = requires(C& c) {
  { c.test() } -> std::same_as<bool>;
  { c.wait() } -> std::same_as<status>;
};

namespace detail {
// Completions of several steps, which a wait for one of them must not hold up.
template <class C>
concept stepwise = requires(C& c) {
  c.block();
};
// Blocks until the step that `c` waits for is complete; c.test() goes on to the next.
template <class C>
void block_on(C& c) {
  if constexpr (stepwise<C>)
    c.block();
  else
    static_cast<void>(c.wait());
}
template <class F>
struct result_of_next {
  using type = std::invoke_result_t<F&>;
};
template <class F>
requires std::invocable<F&, status>
struct result_of_next<F> {
  using type = std::invoke_result_t<F&, status>;
};
struct no_completion {};
}  // namespace detail

template <class C, class F>
class continuation;

// A base of completions, for `then`.
template <class Derived>
class composable {
 public:
  // Returns a completion that calls `f` once, in the thread that tests or waits for it, when this
  // one is complete: with its status, if `f` takes one, and else only on success. `f` returns what
  // it ends with: nothing (this one's status), a status, or a completion, which is waited for too.
  // What `f` throws, wait() throws.
  //
  // One that is destroyed before it is complete blocks as what it waits for does; `f` is not called
  // then.
  template <class F>
  [[nodiscard]] continuation<Derived, F> then(F f) && {
    return {static_cast<Derived&&>(*this), std::move(f)};
  }

 private:
  friend Derived;
  composable() noexcept = default;
};

// What `then` returns. Threads: one at a time.
template <class C, class F>
class continuation : public composable<continuation<C, F>> {
  using result = typename detail::result_of_next<F>::type;
  static constexpr bool chains = completion<result>;
  static_assert(chains || std::is_void_v<result> || std::is_convertible_v<result, status>,
                "what follows returns nothing, a status or a completion");

 public:
  continuation(C first, F f) : first_(std::move(first)), next_(std::move(f)) {}

  // Also true where what follows has thrown.
  [[nodiscard]] bool test() noexcept {
    if (ended_) return true;
    try {
      if constexpr (chains)
        if (second_) return ends_with_second();
      if (!first_.test()) return false;
      go_on(first_.wait());
    } catch (...) {
      thrown_ = std::current_exception();
      ended_ = status{};
    }
    return ended_.has_value();
  }
  status wait() {
    while (!test()) block();
    if (thrown_) std::rethrow_exception(thrown_);
    return *ended_;
  }
  // For those that wait for several.
  void block() {
    if (ended_) return;
    if constexpr (chains)
      if (second_) return detail::block_on(*second_);
    detail::block_on(first_);
  }

 private:
  void go_on(status before) {
    if constexpr (std::invocable<F&, status>) {
      end_with([this, before] { return std::invoke(next_, before); }, before);
    } else if (before.ok()) {
      end_with([this] { return std::invoke(next_); }, before);
    } else {
      ended_ = before;
    }
  }
  template <class Call>
  void end_with(Call call, status before) {
    if constexpr (chains) {
      second_.emplace(call());
      ends_with_second();
    } else if constexpr (std::is_void_v<result>) {
      call();
      ended_ = before;
    } else {
      ended_ = call();
    }
  }
  bool ends_with_second() requires chains {
    if (!second_->test()) return false;
    ended_ = second_->wait();
    return true;
  }

  C first_;
  F next_;
  [[no_unique_address]] std::conditional_t<chains, std::optional<result>, detail::no_completion>
      second_;
  std::optional<status> ended_;
  std::exception_ptr thrown_;
};

}  // namespace oriel
