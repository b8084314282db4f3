// The calls of oriel_shmem/waiting.h.
#include "shmem/api.hpp"
#include "shmem/conditions.hpp"

using oriel::shmem::conditions;
using oriel::shmem::one_value;

namespace oriel::shmem {

void require_comparison(const char* call, int cmp) noexcept {
  if (cmp < SHMEM_CMP_EQ || cmp > SHMEM_CMP_LE)
    fail(std::string(call) + ": there is no comparison " + std::to_string(cmp) +
         "; valid: SHMEM_CMP_EQ, SHMEM_CMP_NE, SHMEM_CMP_GT, SHMEM_CMP_GE, SHMEM_CMP_LT and "
         "SHMEM_CMP_LE");
}

}  // namespace oriel::shmem

namespace {

// Those of `n` variables, by one value or by an array of them.
template <class T>
auto each(const char* call, const T* variables, std::size_t n, const int* status, int cmp,
          T value) noexcept {
  return conditions<T, one_value<T>>(call, variables, n, status, cmp, {value});
}
template <class T>
auto each(const char* call, const T* variables, std::size_t n, const int* status, int cmp,
          const T* values) noexcept {
  return conditions<T, const T*>(call, variables, n, status, cmp, values);
}

}  // namespace

extern "C" {

// NOLINTBEGIN(bugprone-macro-parentheses): types are no expressions.

#define ORIEL_SHMEM_TYPED(NAME, TYPE)                                           \
  void pshmem_##NAME##_wait_until(TYPE* ivar, int cmp, TYPE value) {            \
    each("shmem_wait_until", ivar, 1, nullptr, cmp, value).wait_all();          \
  }                                                                             \
  ORIEL_SHMEM_WEAK(NAME##_wait_until)                                           \
  int pshmem_##NAME##_test(TYPE* ivar, int cmp, TYPE value) {                   \
    return each("shmem_test", ivar, 1, nullptr, cmp, value).test_all() ? 1 : 0; \
  }                                                                             \
  ORIEL_SHMEM_WEAK(NAME##_test)
ORIEL_SHMEM_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

// With one value, and those of `_vector` with an array.
#define ORIEL_SHMEM_WAITS(NAME, TYPE, VECTOR, VALUES)                                             \
  void pshmem_##NAME##_wait_until_all##VECTOR(TYPE* ivars, size_t nelems, const int* status,      \
                                              int cmp, VALUES values) {                           \
    each("shmem_wait_until_all", ivars, nelems, status, cmp, values).wait_all();                  \
  }                                                                                               \
  ORIEL_SHMEM_WEAK(NAME##_wait_until_all##VECTOR)                                                 \
  size_t pshmem_##NAME##_wait_until_any##VECTOR(TYPE* ivars, size_t nelems, const int* status,    \
                                                int cmp, VALUES values) {                         \
    return each("shmem_wait_until_any", ivars, nelems, status, cmp, values).wait_any();           \
  }                                                                                               \
  ORIEL_SHMEM_WEAK(NAME##_wait_until_any##VECTOR)                                                 \
  size_t pshmem_##NAME##_wait_until_some##VECTOR(TYPE* ivars, size_t nelems, size_t* indices,     \
                                                 const int* status, int cmp, VALUES values) {     \
    return each("shmem_wait_until_some", ivars, nelems, status, cmp, values).wait_some(indices);  \
  }                                                                                               \
  ORIEL_SHMEM_WEAK(NAME##_wait_until_some##VECTOR)                                                \
  int pshmem_##NAME##_test_all##VECTOR(TYPE* ivars, size_t nelems, const int* status, int cmp,    \
                                       VALUES values) {                                           \
    return each("shmem_test_all", ivars, nelems, status, cmp, values).test_all() ? 1 : 0;         \
  }                                                                                               \
  ORIEL_SHMEM_WEAK(NAME##_test_all##VECTOR)                                                       \
  size_t pshmem_##NAME##_test_any##VECTOR(TYPE* ivars, size_t nelems, const int* status, int cmp, \
                                          VALUES values) {                                        \
    return each("shmem_test_any", ivars, nelems, status, cmp, values).test_any();                 \
  }                                                                                               \
  ORIEL_SHMEM_WEAK(NAME##_test_any##VECTOR)                                                       \
  size_t pshmem_##NAME##_test_some##VECTOR(TYPE* ivars, size_t nelems, size_t* indices,           \
                                           const int* status, int cmp, VALUES values) {           \
    return each("shmem_test_some", ivars, nelems, status, cmp, values).test_some(indices);        \
  }                                                                                               \
  ORIEL_SHMEM_WEAK(NAME##_test_some##VECTOR)
#define ORIEL_SHMEM_TYPED(NAME, TYPE)   \
  ORIEL_SHMEM_WAITS(NAME, TYPE, , TYPE) \
  ORIEL_SHMEM_WAITS(NAME, TYPE, _vector, const TYPE*)
ORIEL_SHMEM_ATOMIC_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

// Names of earlier specifications.
#define ORIEL_SHMEM_TYPED(NAME, TYPE)                      \
  void pshmem_##NAME##_wait(TYPE* ivar, TYPE value) {      \
    pshmem_##NAME##_wait_until(ivar, SHMEM_CMP_NE, value); \
  }                                                        \
  ORIEL_SHMEM_WEAK(NAME##_wait)
ORIEL_SHMEM_FORMER_WAIT_TYPES(ORIEL_SHMEM_TYPED)
#undef ORIEL_SHMEM_TYPED

// NOLINTEND(bugprone-macro-parentheses)

void pshmem_wait_until(long* ivar, int cmp, long value) {
  pshmem_long_wait_until(ivar, cmp, value);
}
ORIEL_SHMEM_WEAK(wait_until)
void pshmem_wait(long* ivar, long value) {
  pshmem_long_wait(ivar, value);
}
ORIEL_SHMEM_WEAK(wait)

}  // extern "C"
