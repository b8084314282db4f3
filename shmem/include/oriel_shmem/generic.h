/* Names without a type, for C11: macros that call the function of the type that the first pointer
 * points to. A call with one argument more than that function has is one of a context, which is the
 * first. Every argument is evaluated once. Where the specification has no function for the type,
 * the compiler says that the selector is compatible with no association.
 *
 * The functions of fixed-width types, size_t and ptrdiff_t are those of the types that these are.
 */
#ifndef ORIEL_SHMEM_GENERIC_H
#define ORIEL_SHMEM_GENERIC_H

#include "active_sets.h"
#include "atomics.h"
#include "collectives.h"
#include "rma.h"
#include "signals.h"
#include "waiting.h"

/* Lists of types of which no two are one: X(operation, name, type) for each. Names and operations
 * begin with _, for they are expanded where a program calls, which may have macros of its own. */
#define ORIEL_SHMEM_GENERIC_ATOMIC(X, OP)                                                        \
  X(OP, _int, int), X(OP, _long, long), X(OP, _longlong, long long), X(OP, _uint, unsigned int), \
      X(OP, _ulong, unsigned long), X(OP, _ulonglong, unsigned long long)
#define ORIEL_SHMEM_GENERIC_ATOMIC_AND_REAL(X, OP) \
  ORIEL_SHMEM_GENERIC_ATOMIC(X, OP), X(OP, _float, float), X(OP, _double, double)
#define ORIEL_SHMEM_GENERIC_ATOMIC_BIT(X, OP)                                                      \
  X(OP, _uint, unsigned int), X(OP, _ulong, unsigned long), X(OP, _ulonglong, unsigned long long), \
      X(OP, _int32, int32_t), X(OP, _int64, int64_t)
#define ORIEL_SHMEM_GENERIC_WAIT(X, OP) \
  ORIEL_SHMEM_GENERIC_ATOMIC(X, OP), X(OP, _short, short), X(OP, _ushort, unsigned short)
#define ORIEL_SHMEM_GENERIC_DATA(X, OP)                                                            \
  ORIEL_SHMEM_GENERIC_ATOMIC_AND_REAL(X, OP), X(OP, _longdouble, long double), X(OP, _char, char), \
      X(OP, _schar, signed char), X(OP, _uchar, unsigned char), X(OP, _short, short),              \
      X(OP, _ushort, unsigned short)
#define ORIEL_SHMEM_GENERIC_REDUCED_BIT(X, OP)                         \
  ORIEL_SHMEM_GENERIC_ATOMIC_BIT(X, OP), X(OP, _uchar, unsigned char), \
      X(OP, _ushort, unsigned short), X(OP, _int8, int8_t), X(OP, _int16, int16_t)
#define ORIEL_SHMEM_GENERIC_NUMBER(X, OP)                                  \
  ORIEL_SHMEM_GENERIC_DATA(X, OP), X(OP, _complexf, oriel_shmem_complexf), \
      X(OP, _complexd, oriel_shmem_complexd)
#define ORIEL_SHMEM_GENERIC_FORMER_ATOMIC(X, OP) \
  X(OP, _int, int), X(OP, _long, long), X(OP, _longlong, long long)
#define ORIEL_SHMEM_GENERIC_FORMER_SWAP(X, OP) \
  ORIEL_SHMEM_GENERIC_FORMER_ATOMIC(X, OP), X(OP, _float, float), X(OP, _double, double)

/* The function for what `at` points to, which is the first argument, the one behind a team, or the
 * one behind a context. */
/* Not formatted: the tool takes the types for labels. */
/* clang-format off */
#define ORIEL_SHMEM_CASE(OP, NAME, TYPE) TYPE: shmem##NAME##OP
#define ORIEL_SHMEM_CTX_CASE(OP, NAME, TYPE) TYPE: shmem_ctx##NAME##OP
/* clang-format on */
#define ORIEL_SHMEM_BY_FIRST(TYPES, OP, at, ...) \
  _Generic(*(at), TYPES(ORIEL_SHMEM_CASE, OP))(at, __VA_ARGS__)
#define ORIEL_SHMEM_BY_SECOND(TYPES, OP, team, at, ...) \
  _Generic(*(at), TYPES(ORIEL_SHMEM_CASE, OP))(team, at, __VA_ARGS__)
#define ORIEL_SHMEM_IN_CTX(TYPES, OP, ctx, at, ...) \
  _Generic(*(at), TYPES(ORIEL_SHMEM_CTX_CASE, OP))(ctx, at, __VA_ARGS__)

/* Of functions that have as many arguments without a context. */
#define ORIEL_SHMEM_FOURTH(a, b, c, d, ...) d
#define ORIEL_SHMEM_FIFTH(a, ...) ORIEL_SHMEM_FOURTH(__VA_ARGS__)
#define ORIEL_SHMEM_SIXTH(a, b, ...) ORIEL_SHMEM_FOURTH(__VA_ARGS__)
#define ORIEL_SHMEM_SEVENTH(a, b, c, ...) ORIEL_SHMEM_FOURTH(__VA_ARGS__)
#define ORIEL_SHMEM_EIGHTH(a, b, c, d, ...) ORIEL_SHMEM_FOURTH(__VA_ARGS__)
#define ORIEL_SHMEM_NINTH(a, b, c, d, e, ...) ORIEL_SHMEM_FOURTH(__VA_ARGS__)
#define ORIEL_SHMEM_OF_2(TYPES, OP, ...)                                      \
  ORIEL_SHMEM_FOURTH(__VA_ARGS__, ORIEL_SHMEM_IN_CTX, ORIEL_SHMEM_BY_FIRST, ) \
  (TYPES, OP, __VA_ARGS__)
#define ORIEL_SHMEM_OF_3(TYPES, OP, ...) \
  ORIEL_SHMEM_FIFTH(__VA_ARGS__, ORIEL_SHMEM_IN_CTX, ORIEL_SHMEM_BY_FIRST, )(TYPES, OP, __VA_ARGS__)
#define ORIEL_SHMEM_OF_4(TYPES, OP, ...) \
  ORIEL_SHMEM_SIXTH(__VA_ARGS__, ORIEL_SHMEM_IN_CTX, ORIEL_SHMEM_BY_FIRST, )(TYPES, OP, __VA_ARGS__)
#define ORIEL_SHMEM_OF_5(TYPES, OP, ...)                                       \
  ORIEL_SHMEM_SEVENTH(__VA_ARGS__, ORIEL_SHMEM_IN_CTX, ORIEL_SHMEM_BY_FIRST, ) \
  (TYPES, OP, __VA_ARGS__)
#define ORIEL_SHMEM_OF_6(TYPES, OP, ...)                                      \
  ORIEL_SHMEM_EIGHTH(__VA_ARGS__, ORIEL_SHMEM_IN_CTX, ORIEL_SHMEM_BY_FIRST, ) \
  (TYPES, OP, __VA_ARGS__)
#define ORIEL_SHMEM_OF_7(TYPES, OP, ...) \
  ORIEL_SHMEM_NINTH(__VA_ARGS__, ORIEL_SHMEM_IN_CTX, ORIEL_SHMEM_BY_FIRST, )(TYPES, OP, __VA_ARGS__)

/* Put and get, and puts with signals. */
#define shmem_put(...) ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_DATA, _put, __VA_ARGS__)
#define shmem_get(...) ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_DATA, _get, __VA_ARGS__)
#define shmem_put_nbi(...) ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_DATA, _put_nbi, __VA_ARGS__)
#define shmem_get_nbi(...) ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_DATA, _get_nbi, __VA_ARGS__)
#define shmem_p(...) ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_DATA, _p, __VA_ARGS__)
#define shmem_g(...) ORIEL_SHMEM_OF_2(ORIEL_SHMEM_GENERIC_DATA, _g, __VA_ARGS__)
#define shmem_iput(...) ORIEL_SHMEM_OF_6(ORIEL_SHMEM_GENERIC_DATA, _iput, __VA_ARGS__)
#define shmem_iget(...) ORIEL_SHMEM_OF_6(ORIEL_SHMEM_GENERIC_DATA, _iget, __VA_ARGS__)
#define shmem_put_signal(...) ORIEL_SHMEM_OF_7(ORIEL_SHMEM_GENERIC_DATA, _put_signal, __VA_ARGS__)
#define shmem_put_signal_nbi(...) \
  ORIEL_SHMEM_OF_7(ORIEL_SHMEM_GENERIC_DATA, _put_signal_nbi, __VA_ARGS__)

/* Atomic operations. */
#define shmem_atomic_fetch(...) \
  ORIEL_SHMEM_OF_2(ORIEL_SHMEM_GENERIC_ATOMIC_AND_REAL, _atomic_fetch, __VA_ARGS__)
#define shmem_atomic_fetch_nbi(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_AND_REAL, _atomic_fetch_nbi, __VA_ARGS__)
#define shmem_atomic_set(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_AND_REAL, _atomic_set, __VA_ARGS__)
#define shmem_atomic_swap(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_AND_REAL, _atomic_swap, __VA_ARGS__)
#define shmem_atomic_swap_nbi(...) \
  ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_ATOMIC_AND_REAL, _atomic_swap_nbi, __VA_ARGS__)
#define shmem_atomic_compare_swap(...) \
  ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_ATOMIC, _atomic_compare_swap, __VA_ARGS__)
#define shmem_atomic_compare_swap_nbi(...) \
  ORIEL_SHMEM_OF_5(ORIEL_SHMEM_GENERIC_ATOMIC, _atomic_compare_swap_nbi, __VA_ARGS__)
#define shmem_atomic_inc(...) ORIEL_SHMEM_OF_2(ORIEL_SHMEM_GENERIC_ATOMIC, _atomic_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc(...) \
  ORIEL_SHMEM_OF_2(ORIEL_SHMEM_GENERIC_ATOMIC, _atomic_fetch_inc, __VA_ARGS__)
#define shmem_atomic_fetch_inc_nbi(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC, _atomic_fetch_inc_nbi, __VA_ARGS__)
#define shmem_atomic_add(...) ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC, _atomic_add, __VA_ARGS__)
#define shmem_atomic_fetch_add(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC, _atomic_fetch_add, __VA_ARGS__)
#define shmem_atomic_fetch_add_nbi(...) \
  ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_ATOMIC, _atomic_fetch_add_nbi, __VA_ARGS__)
#define shmem_atomic_and(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_and, __VA_ARGS__)
#define shmem_atomic_fetch_and(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_fetch_and, __VA_ARGS__)
#define shmem_atomic_fetch_and_nbi(...) \
  ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_fetch_and_nbi, __VA_ARGS__)
#define shmem_atomic_or(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_or, __VA_ARGS__)
#define shmem_atomic_fetch_or(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_fetch_or, __VA_ARGS__)
#define shmem_atomic_fetch_or_nbi(...) \
  ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_fetch_or_nbi, __VA_ARGS__)
#define shmem_atomic_xor(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor(...) \
  ORIEL_SHMEM_OF_3(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_fetch_xor, __VA_ARGS__)
#define shmem_atomic_fetch_xor_nbi(...) \
  ORIEL_SHMEM_OF_4(ORIEL_SHMEM_GENERIC_ATOMIC_BIT, _atomic_fetch_xor_nbi, __VA_ARGS__)

/* The same under the names of earlier specifications. */
#define shmem_fetch(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_FORMER_SWAP, _fetch, __VA_ARGS__)
#define shmem_set(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_FORMER_SWAP, _set, __VA_ARGS__)
#define shmem_swap(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_FORMER_SWAP, _swap, __VA_ARGS__)
#define shmem_cswap(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_FORMER_ATOMIC, _cswap, __VA_ARGS__)
#define shmem_finc(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_FORMER_ATOMIC, _finc, __VA_ARGS__)
#define shmem_inc(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_FORMER_ATOMIC, _inc, __VA_ARGS__)
#define shmem_fadd(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_FORMER_ATOMIC, _fadd, __VA_ARGS__)
#define shmem_add(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_FORMER_ATOMIC, _add, __VA_ARGS__)

/* Waiting and testing. */
#define shmem_wait_until(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_WAIT, _wait_until, __VA_ARGS__)
#define shmem_test(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_WAIT, _test, __VA_ARGS__)
#define shmem_wait_until_all(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _wait_until_all, __VA_ARGS__)
#define shmem_wait_until_all_vector(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _wait_until_all_vector, __VA_ARGS__)
#define shmem_wait_until_any(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _wait_until_any, __VA_ARGS__)
#define shmem_wait_until_any_vector(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _wait_until_any_vector, __VA_ARGS__)
#define shmem_wait_until_some(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _wait_until_some, __VA_ARGS__)
#define shmem_wait_until_some_vector(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _wait_until_some_vector, __VA_ARGS__)
#define shmem_test_all(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _test_all, __VA_ARGS__)
#define shmem_test_all_vector(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _test_all_vector, __VA_ARGS__)
#define shmem_test_any(...) ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _test_any, __VA_ARGS__)
#define shmem_test_any_vector(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _test_any_vector, __VA_ARGS__)
#define shmem_test_some(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _test_some, __VA_ARGS__)
#define shmem_test_some_vector(...) \
  ORIEL_SHMEM_BY_FIRST(ORIEL_SHMEM_GENERIC_ATOMIC, _test_some_vector, __VA_ARGS__)

/* Collectives of teams. */
#define shmem_broadcast(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_DATA, _broadcast, __VA_ARGS__)
#define shmem_collect(...) ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_DATA, _collect, __VA_ARGS__)
#define shmem_fcollect(...) ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_DATA, _fcollect, __VA_ARGS__)
#define shmem_alltoall(...) ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_DATA, _alltoall, __VA_ARGS__)
#define shmem_alltoalls(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_DATA, _alltoalls, __VA_ARGS__)
#define shmem_and_reduce(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_REDUCED_BIT, _and_reduce, __VA_ARGS__)
#define shmem_or_reduce(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_REDUCED_BIT, _or_reduce, __VA_ARGS__)
#define shmem_xor_reduce(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_REDUCED_BIT, _xor_reduce, __VA_ARGS__)
#define shmem_max_reduce(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_DATA, _max_reduce, __VA_ARGS__)
#define shmem_min_reduce(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_DATA, _min_reduce, __VA_ARGS__)
#define shmem_sum_reduce(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_NUMBER, _sum_reduce, __VA_ARGS__)
#define shmem_prod_reduce(...) \
  ORIEL_SHMEM_BY_SECOND(ORIEL_SHMEM_GENERIC_NUMBER, _prod_reduce, __VA_ARGS__)
/* Of a team, or of an active set, by the number of arguments. */
#define shmem_sync(...) \
  ORIEL_SHMEM_FIFTH(__VA_ARGS__, shmem_sync, , , shmem_team_sync, )(__VA_ARGS__)

#endif
