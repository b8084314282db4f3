// An operation that the adversary holds back: what of its call must be known later.
#pragma once

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "win/adversary/copied_sources.hpp"
#include "win/adversary/late_request.hpp"
#include "win/window_core.hpp"

namespace oriel::win {

class held_operation {
 public:
  held_operation() noexcept = default;
  held_operation(const held_operation&) = delete;
  held_operation& operator=(const held_operation&) = delete;
  virtual ~held_operation() = default;

  virtual errc perform(detail::window_core&) noexcept = 0;
  // The sources are the program's again: a copy is sent. Returns false where none could be made.
  virtual bool keep_sources(detail::window_core&) noexcept = 0;

  rank to{};
  bool fetches = false;             // has a result
  bool ordered = false;             // performed in the order of the calls, among those that are
  late_request* request = nullptr;  // until it is complete
  std::uint64_t number = 0;         // in the order of the calls
  bool due = false;                 // performed now
};

// The layouts of an operation, which are the caller's only during the call.
class kept_layouts {
 public:
  explicit kept_layouts(const detail::typed_operands& x)
      : origin_(x.origin), result_(x.result), target_shape_(*x.target_shape) {
    if (x.origin_shape != nullptr) origin_shape_ = *x.origin_shape;
    if (x.result_shape != nullptr) result_shape_ = *x.result_shape;
  }
  [[nodiscard]] detail::typed_operands seen() const noexcept {
    return {origin_, origin_shape_ ? &*origin_shape_ : nullptr, result_,
            result_shape_ ? &*result_shape_ : nullptr, &target_shape_};
  }

 private:
  const void* origin_;
  void* result_;
  std::optional<shape> origin_shape_, result_shape_;
  shape target_shape_;
};

// The call of one slot.
template <auto Slot, class... Args>
class held_call final : public held_operation {
 public:
  explicit held_call(Args... args) : args_(args...) {}

  errc perform(detail::window_core& core) noexcept override {
    return with_arguments(core, core.operations.unwatched.*Slot);
  }
  bool keep_sources(detail::window_core& core) noexcept override {
    return with_arguments(core, [this](detail::window_core& c, const auto&... args) noexcept {
      return sources_.take(c, operands(c, args...));
    });
  }

 private:
  template <class T>
  struct kept {
    using type = T;
  };
  template <class T>
  struct kept<const T&> {
    using type = kept_layouts;
  };

  template <class Call>
  auto with_arguments(detail::window_core& core, Call call) noexcept {
    std::size_t sources = 0;
    return std::apply(
        [&](const auto&... one) noexcept {
          // In braces the arguments are taken in order.
          std::tuple<detail::window_core&, decltype(given(core, sources, one))...> all{
              core, given(core, sources, one)...};
          return std::apply(call, all);
        },
        args_);
  }
  const void* given(const detail::window_core&, std::size_t& sources, const void* p) noexcept {
    return sources_.in_place_of(p, sources++);
  }
  detail::typed_operands given(const detail::window_core&, std::size_t&,
                               const kept_layouts& layouts) noexcept {
    detail::typed_operands x = layouts.seen();
    x.origin = sources_.in_place_of(x.origin, 0);
    return x;
  }
  detail::request_state* given(const detail::window_core& core, std::size_t&,
                               detail::request_state*) noexcept {
    return core.needs_request(to) ? request : nullptr;
  }
  template <class Other>
  Other given(const detail::window_core&, std::size_t&, const Other& other) noexcept {
    return other;
  }

  std::tuple<typename kept<Args>::type...> args_;
  copied_sources sources_;
};

}  // namespace oriel::win
