// The names of the face's enumerations, as users read them in messages.
#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/detail/failure_note.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"
#include "oriel/statistics.hpp"

namespace oriel {

std::string_view name(errc code) noexcept {
  switch (code) {
#define ORIEL_ERRC(number, name, c_name) \
  case errc::name:                       \
    return #name;
#include "oriel/enumerations/errc.def"
  }
  return "unknown";
}

void throw_error(errc code) {
  const std::string text = detail::noted_failure(code);
  throw error(code, text.empty() ? "oriel: a call returned " + std::string(name(code)) : text);
}

std::string_view name(assertion a) noexcept {
  switch (a) {
#define ORIEL_ASSERTION(bit, name, c_name) \
  case assertion::name:                    \
    return #name;
#include "oriel/enumerations/assertion.def"
  }
  return "unknown";
}

std::string to_string(assertion_set set) {
  std::string text;
  for (const assertion a : all_assertions) {
    if (!set.has(a)) continue;
    if (!text.empty()) text += " | ";
    text += name(a);
  }
  return text.empty() ? "none" : text;
}

std::string_view name(atomic_op op) noexcept {
  switch (op) {
#define ORIEL_ATOMIC_OP(number, name, c_name) \
  case atomic_op::name:                       \
    return #name;
#include "oriel/enumerations/atomic_op.def"
  }
  return "unknown";
}

std::string to_string(op_set ops) {
  std::string text;
  for (const atomic_op op : all_atomic_ops) {
    if (!ops.has(op)) continue;
    if (!text.empty()) text += " | ";
    text += name(op);
  }
  return text.empty() ? "none" : text;
}

std::string_view name(primitive p) noexcept {
  switch (p) {
#define ORIEL_PRIMITIVE(number, name, c_name, text, ...) \
  case primitive::name:                                  \
    return text;
#include "oriel/enumerations/primitive.def"
  }
  return "unknown";
}

std::size_t size_of(primitive p) noexcept {
  return with_type(p, [](auto t) { return sizeof(typename decltype(t)::type); });
}

std::size_t align_of(primitive p) noexcept {
  return with_type(p, [](auto t) { return alignof(typename decltype(t)::type); });
}

namespace {

template <class Enumerator, std::size_t N>
std::string_view one_of(const std::array<std::string_view, N>& names, Enumerator e) noexcept {
  const auto i = static_cast<std::size_t>(e);
  return i < N ? names[i] : "unknown";
}

}  // namespace

std::string_view name(operation_kind k) noexcept {
  static constexpr std::array<std::string_view, operation_kinds> names{
      "put", "get", "accumulate", "fetch_op", "compare_swap", "put_notify"};
  return one_of(names, k);
}

std::string_view name(access_route r) noexcept {
  static constexpr std::array<std::string_view, access_routes> names{
      "self",   "load_store", "ipc",           "cma",    "owner_mail",
      "fabric", "attached",   "owner_message", "packet", "other"};
  return one_of(names, r);
}

std::string_view name(wait_cause c) noexcept {
  static constexpr std::array<std::string_view, wait_causes> names{
      "lock", "fence", "start", "wait", "notification", "completion", "room"};
  return one_of(names, c);
}

}  // namespace oriel
