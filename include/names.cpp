// The names of the face's enumerations, as users read them in messages.
#include <array>

#include "oriel/assertion.hpp"
#include "oriel/atomic_op.hpp"
#include "oriel/detail/failure_note.hpp"
#include "oriel/errc.hpp"
#include "oriel/primitive.hpp"

namespace oriel {

std::string_view name(errc code) noexcept {
  static constexpr std::array names{"success",
                                    "not_asserted",
                                    "unsupported_assertion",
                                    "mismatched_assertions",
                                    "unsupported_kind",
                                    "peer_failed",
                                    "timed_out",
                                    "rma_sync",
                                    "rma_range",
                                    "rma_conflict",
                                    "rma_attach",
                                    "rma_shared",
                                    "rma_flavor",
                                    "locktype",
                                    "disp",
                                    "size",
                                    "no_mem",
                                    "base",
                                    "rank",
                                    "op",
                                    "type",
                                    "count",
                                    "info",
                                    "arg",
                                    "system",
                                    "mismatched_collective",
                                    "win"};
  static_assert(names.size() == static_cast<std::size_t>(last_errc) + 1);
  const auto i = static_cast<std::size_t>(code);
  return i < names.size() ? names[i] : "unknown";
}

void throw_error(errc code) {
  const std::string text = detail::noted_failure(code);
  throw error(code, text.empty() ? "oriel: a call returned " + std::string(name(code)) : text);
}

std::string_view name(assertion a) noexcept {
  switch (a) {
    case assertion::local_load_store:
      return "local_load_store";
    case assertion::remote_load_store:
      return "remote_load_store";
    case assertion::pscw:
      return "pscw";
    case assertion::fence:
      return "fence";
    case assertion::shared_lock:
      return "shared_lock";
    case assertion::exclusive_lock:
      return "exclusive_lock";
    case assertion::ordered_replace:
      return "ordered_replace";
    case assertion::ordered_accumulate:
      return "ordered_accumulate";
    case assertion::multi_element:
      return "multi_element";
    case assertion::user_datatype:
      return "user_datatype";
    case assertion::attach:
      return "attach";
    case assertion::node_load_store:
      return "node_load_store";
    case assertion::notify:
      return "notify";
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
  static constexpr std::array names{"replace", "no_op", "sum",  "prod", "min",  "max",    "land",
                                    "lor",     "lxor",  "band", "bor",  "bxor", "minloc", "maxloc"};
  static_assert(names.size() == atomic_op_count);
  const auto i = static_cast<std::size_t>(op);
  return i < names.size() ? names[i] : "unknown";
}

std::string to_string(op_set ops) {
  std::string text;
  for (int i = 0; i < atomic_op_count; ++i) {
    const auto op = static_cast<atomic_op>(i);
    if (!ops.has(op)) continue;
    if (!text.empty()) text += " | ";
    text += name(op);
  }
  return text.empty() ? "none" : text;
}

std::string_view name(primitive p) noexcept {
  static constexpr std::array names{"opaque",
                                    "byte",
                                    "bool",
                                    "int8",
                                    "int16",
                                    "int32",
                                    "int64",
                                    "uint8",
                                    "uint16",
                                    "uint32",
                                    "uint64",
                                    "float",
                                    "double",
                                    "long double",
                                    "complex float",
                                    "complex double",
                                    "complex long double",
                                    "float_int",
                                    "double_int",
                                    "long_int",
                                    "int_int",
                                    "short_int",
                                    "long_double_int",
                                    "float_float",
                                    "double_double"};
  static_assert(names.size() == primitive_count);
  const auto i = static_cast<std::size_t>(p);
  return i < names.size() ? names[i] : "unknown";
}

std::size_t size_of(primitive p) noexcept {
  return with_type(p, [](auto t) { return sizeof(typename decltype(t)::type); });
}

std::size_t align_of(primitive p) noexcept {
  return with_type(p, [](auto t) { return alignof(typename decltype(t)::type); });
}

}  // namespace oriel
