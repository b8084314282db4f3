#include "session/team/reduce.hpp"

#include <cstring>

#include "oriel/detail/combine.hpp"

namespace oriel::sessions {
namespace {

template <class T, std::size_t Op = 0>
void apply(T& into, const T& value, atomic_op op) noexcept {
  if constexpr (Op < all_atomic_ops.size()) {
    constexpr atomic_op this_op = all_atomic_ops[Op];
    if (op != this_op) return apply<T, Op + 1>(into, value, op);
    if constexpr (defined(this_op, primitive_of<T>())) into = detail::combine<this_op>(into, value);
  }
}

}  // namespace

bool reduce(void* into, const void* value, primitive type, atomic_op op) noexcept {
  if (!defined(op, type)) return false;
  with_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    T a, b;
    std::memcpy(&a, into, sizeof a);
    std::memcpy(&b, value, sizeof b);
    apply(a, b, op);
    std::memcpy(into, &a, sizeof a);
  });
  return true;
}

}  // namespace oriel::sessions
