// The numbers of the C face: codes, assertions, operations, element types, modes. They are those of
// the C++ enumerations, since both expand the lists in oriel/enumerations/, which say what each
// entry means, and never change.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// ORIEL_SUCCESS, ORIEL_ERR_RMA_SYNC, …: oriel::errc.
enum oriel_errc {
#define ORIEL_ERRC(number, cpp_name, name) ORIEL_##name = (number),
#include "oriel/enumerations/errc.def"
};

// ORIEL_ASSERT_FENCE, …: oriel::assertion, to be added up.
enum oriel_assertion {
#define ORIEL_ASSERTION(bit, cpp_name, name) ORIEL_ASSERT_##name = 1 << (bit),
#include "oriel/enumerations/assertion.def"
  // Everything that the proposal lists.
  ORIEL_ASSERT_EVERY = 0
#define ORIEL_ASSERTION(bit, cpp_name, name) | 1 << (bit)
#define ORIEL_EXTENSION(bit, cpp_name, name)
#include "oriel/enumerations/assertion.def"
};

// ORIEL_OP_REPLACE, ORIEL_OP_SUM, …: oriel::atomic_op. A set of operations has bit 1 << op for
// each.
enum oriel_op {
#define ORIEL_ATOMIC_OP(number, cpp_name, name) ORIEL_OP_##name = (number),
#include "oriel/enumerations/atomic_op.def"
};

// ORIEL_INT64, ORIEL_FLOAT64, ORIEL_DOUBLE_INT, …: oriel::primitive. The pairs are structs, laid
// out by C's rules, of a value and its index, which is an int or has the value's type.
enum oriel_primitive {
#define ORIEL_PRIMITIVE(number, cpp_name, name, text, ...) ORIEL_##name = (number),
#include "oriel/enumerations/primitive.def"
};

// ORIEL_MODE_NOCHECK, …: oriel::sync_mode, to be added up: promises about one synchronization call.
enum oriel_mode {
  ORIEL_MODE_NONE = 0,
#define ORIEL_SYNC_MODE(bit, cpp_name, name) ORIEL_MODE_##name = 1 << (bit),
#include "oriel/enumerations/sync_mode.def"
};

// ORIEL_LOCK_SHARED, ORIEL_LOCK_EXCLUSIVE: oriel::lock_kind.
enum oriel_lock_kind {
#define ORIEL_LOCK_KIND(number, cpp_name, name) ORIEL_LOCK_##name = (number),
#include "oriel/enumerations/lock_kind.def"
};

// ORIEL_ORDER_C, ORIEL_ORDER_FORTRAN: oriel::storage_order.
enum oriel_order {
#define ORIEL_STORAGE_ORDER(number, cpp_name, name) ORIEL_ORDER_##name = (number),
#include "oriel/enumerations/storage_order.def"
};

// ORIEL_THREAD_SINGLE, ORIEL_THREAD_SERIALIZED, ORIEL_THREAD_MULTIPLE: oriel::thread_level.
enum oriel_thread_level {
  ORIEL_THREAD_DEFAULT = 0,  // multiple
#define ORIEL_THREAD_LEVEL(number, cpp_name, name) ORIEL_THREAD_##name = (number),
#include "oriel/enumerations/thread_level.def"
};

// oriel::any_rank, for oriel_window_shared_query.
enum { ORIEL_ANY_RANK = -1 };

// Return the name of a number: "rma_sync", "shared_lock", "sum", "double"; "unknown" for what is no
// code, not one assertion, no operation, no element type. The texts are constants of the library.
const char* oriel_error_name(int code);
const char* oriel_assertion_name(int assertion);
const char* oriel_op_name(int op);
const char* oriel_primitive_name(int primitive);

// `bytes`: of one element, padding included; 1 for ORIEL_OPAQUE. Returns ORIEL_ERR_TYPE for no
// element type.
int oriel_primitive_size(int primitive, size_t* bytes);
// `defined`: 1 where `op` is defined on elements of `primitive`, else 0 (oriel/atomic_op.hpp has
// the rule). Returns ORIEL_ERR_TYPE for no element type.
int oriel_op_defined(int op, int primitive, int* defined);

// Returns the explanation of the last failure of a function on this thread; an empty text before
// the first. The text is valid until the next failure.
const char* oriel_last_error(void);

#ifdef __cplusplus
}
#endif
