// The names of the C face's numbers.
#include "capi/enumerators.hpp"
#include "capi/guard.hpp"
#include "oriel/assertion.hpp"
#include "oriel/oriel.h"
#include "oriel/primitive.hpp"
#include "oriel/rank.hpp"

namespace {

static_assert(ORIEL_ANY_RANK == oriel::any_rank.value);

// The names are literals, and so end with a null.
template <class Enumeration>
const char* name_of(int number) noexcept {
  const auto known = oriel::capi::numbered<Enumeration>(number);
  return known ? name(*known).data() : "unknown";
}

}  // namespace

extern "C" {

const char* oriel_error_name(int code) {
  return name_of<oriel::errc>(code);
}

const char* oriel_assertion_name(int assertion) {
  for (const oriel::assertion a : oriel::all_assertions)
    if (oriel::assertion_set(a).bits == static_cast<std::uint32_t>(assertion))
      return name(a).data();
  return "unknown";
}

const char* oriel_op_name(int op) {
  return name_of<oriel::atomic_op>(op);
}

const char* oriel_primitive_name(int primitive) {
  return name_of<oriel::primitive>(primitive);
}

int oriel_primitive_size(int primitive, size_t* bytes) {
  return oriel::capi::guarded(
      [&] { *bytes = size_of(oriel::capi::enumerator<oriel::primitive>(primitive)); });
}

int oriel_op_defined(int op, int primitive, int* defined) {
  return oriel::capi::guarded([&] {
    const auto type = oriel::capi::enumerator<oriel::primitive>(primitive);
    const auto known = oriel::capi::numbered<oriel::atomic_op>(op);
    *defined = known && oriel::defined(*known, type) ? 1 : 0;
  });
}

const char* oriel_last_error(void) {
  return oriel::capi::explanation();
}

}  // extern "C"
