// task<T>: a coroutine that awaits requests.
//
//   task<std::uint64_t> last_of(window<node>& list, rank at, disp i) {
//     for (;;) {
//       node here;
//       (co_await list.rget(at, i, std::span(&here, 1))).or_throw();
//       if (here.is_last) co_return here.value;
//       at = here.next_rank, i = here.next;
//     }
//   }
//   ...
//   auto a = last_of(list, …), b = last_of(list, …);  // both have begun
//   when_all(a, b).wait().or_throw();
//   use(a.get(), b.get());
//
// A call runs to the first co_await of something that is not complete, and returns. The rest runs
// when someone tests or waits for the task: in that thread, which serves other ranks meanwhile, as
// every wait of oriel does. There is no scheduler and no thread. One allocation, the compiler's, of
// the coroutine's frame.
//
// co_await takes completions (oriel/continuation.hpp), whose status it returns, and tasks, whose
// result. So failures of operations are statuses, which the body judges; what it throws, or a task
// that it awaits, is thrown by get(), wait() and co_await of the task itself.
//
// Requires: what the parameters refer to outlives the task; as with every coroutine, so do the
// captures of a lambda that is one.
//
// Destroying a task that has not ended destroys its frame: requests in it, awaited or not, block
// until they are complete, since their buffers may lie there too; the objects of the frame are
// destroyed, and the rest of the body does not run.
//
// Needs a compiler with coroutines (__cpp_impl_coroutine; GCC 10, Clang 17); else this header is
// empty.
#pragma once

#include "oriel/continuation.hpp"

#if defined(__cpp_impl_coroutine)

#include <coroutine>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace oriel {

template <class T>
class task;

namespace detail {

// What a coroutine that is suspended waits for: it lies in the coroutine's frame.
struct awaited {
  void* what = nullptr;
  bool (*test)(void* what) noexcept = nullptr;
  void (*block)(void* what) = nullptr;
};

template <class C>
awaited awaited_by(C& c) noexcept {
  return {&c, [](void* what) noexcept { return static_cast<bool>(static_cast<C*>(what)->test()); },
          [](void* what) { block_on(*static_cast<C*>(what)); }};
}

// co_await of `C`, a completion or a task that is referred to, or moved here.
template <class C, class Promise>
class awaiter {
 public:
  awaiter(C&& c, Promise& by) : what_(std::forward<C>(c)), by_(by) {}
  [[nodiscard]] bool await_ready() noexcept { return what_.test(); }
  void await_suspend(std::coroutine_handle<>) noexcept { by_.now = awaited_by(what_); }
  auto await_resume() {
    if constexpr (requires { what_.get(); })
      return what_.get();
    else
      return what_.wait();
  }

 private:
  C what_;
  Promise& by_;
};

struct promise_base {
  awaited now;
  std::exception_ptr thrown;

  std::suspend_never initial_suspend() noexcept { return {}; }
  std::suspend_always final_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { thrown = std::current_exception(); }
  void rethrow() const {
    if (thrown) std::rethrow_exception(thrown);
  }
};
template <class T>
struct promise_result : promise_base {
  std::optional<T> value;
  template <class U>
  void return_value(U&& result) {
    value.emplace(std::forward<U>(result));
  }
};
template <>
struct promise_result<void> : promise_base {
  void return_void() noexcept {}
};

}  // namespace detail

// Threads: one at a time. It may be moved while it waits.
template <class T = void>
class [[nodiscard]] task {
  static_assert(!std::is_reference_v<T>, "a task returns a value");

 public:
  struct promise_type : detail::promise_result<T> {
    task get_return_object() noexcept {
      return task(std::coroutine_handle<promise_type>::from_promise(*this));
    }
    template <completion C>
    detail::awaiter<C, detail::promise_base> await_transform(C&& c) {
      return {std::forward<C>(c), *this};
    }
  };

  task() noexcept = default;
  task(task&& other) noexcept : frame_(std::exchange(other.frame_, {})) {}
  task& operator=(task&& other) noexcept {
    if (this != &other) {
      end();
      frame_ = std::exchange(other.frame_, {});
    }
    return *this;
  }
  ~task() { end(); }

  // Returns false for one that has been moved from, or was never made. There, test() is true, and
  // wait() and get() throw arg.
  [[nodiscard]] bool valid() const noexcept { return frame_ != nullptr; }
  // Returns, without blocking, whether the body has ended; runs it as far as it can go.
  [[nodiscard]] bool test() noexcept {
    while (frame_ && !frame_.done()) {
      const detail::awaited now = frame_.promise().now;
      if (!now.test(now.what)) return false;
      frame_.resume();
    }
    return true;
  }
  // Blocks until the body has ended. Returns what a task<status> returned, else success. Throws
  // what the body threw.
  status wait() {
    run();
    if constexpr (std::is_convertible_v<T, status>)
      return *frame_.promise().value;
    else
      return {};
  }
  // Blocks likewise. Returns the result, which is moved out. Throws likewise.
  T get() {
    run();
    if constexpr (!std::is_void_v<T>) return std::move(*frame_.promise().value);
  }
  // For those that wait for several.
  void block() {
    if (!frame_ || frame_.done()) return;
    const detail::awaited now = frame_.promise().now;
    now.block(now.what);
  }

 private:
  explicit task(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}
  void run() {
    if (!frame_) throw error(errc::arg, "this task has been moved from, or was never made [arg]");
    while (!test()) block();
    frame_.promise().rethrow();
  }
  void end() noexcept {
    if (frame_) std::exchange(frame_, {}).destroy();
  }

  std::coroutine_handle<promise_type> frame_;
};

}  // namespace oriel

#endif
