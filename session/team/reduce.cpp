#include "session/team/reduce.hpp"

#include <cstring>

#include "oriel/detail/combine.hpp"

namespace oriel::sessions {
namespace {

template <class T, int Op = 0>
void apply(T& into, const T& value, atomic_op op) noexcept {
  if constexpr (Op < atomic_op_count) {
    if (static_cast<int>(op) != Op) return apply<T, Op + 1>(into, value, op);
    if constexpr (defined(static_cast<atomic_op>(Op), primitive_of<T>()))
      into = detail::combine<static_cast<atomic_op>(Op)>(into, value);
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
