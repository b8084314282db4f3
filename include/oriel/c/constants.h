// The numbers of the C face: codes, assertions, operations, element types, modes. They equal those
// of the C++ enumerations, which the library checks when it is compiled, and never change.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// oriel::errc, which defines what each means.
enum oriel_errc {
  ORIEL_SUCCESS = 0,
  ORIEL_ERR_NOT_ASSERTED,
  ORIEL_ERR_UNSUPPORTED_ASSERTION,
  ORIEL_ERR_MISMATCHED_ASSERTIONS,
  ORIEL_ERR_UNSUPPORTED_KIND,
  ORIEL_ERR_PEER_FAILED,
  ORIEL_ERR_TIMED_OUT,
  ORIEL_ERR_RMA_SYNC,
  ORIEL_ERR_RMA_RANGE,
  ORIEL_ERR_RMA_CONFLICT,
  ORIEL_ERR_RMA_ATTACH,
  ORIEL_ERR_RMA_SHARED,
  ORIEL_ERR_RMA_FLAVOR,
  ORIEL_ERR_LOCKTYPE,
  ORIEL_ERR_DISP,
  ORIEL_ERR_SIZE,
  ORIEL_ERR_NO_MEM,
  ORIEL_ERR_BASE,
  ORIEL_ERR_RANK,
  ORIEL_ERR_OP,
  ORIEL_ERR_TYPE,
  ORIEL_ERR_COUNT,
  ORIEL_ERR_INFO,
  ORIEL_ERR_ARG,
  ORIEL_ERR_SYSTEM,
  ORIEL_ERR_MISMATCHED_COLLECTIVE,
  ORIEL_ERR_WIN
};

// oriel::assertion, to be added up.
enum oriel_assertion {
  ORIEL_ASSERT_LOCAL_LOAD_STORE = 1 << 0,
  ORIEL_ASSERT_REMOTE_LOAD_STORE = 1 << 1,
  ORIEL_ASSERT_PSCW = 1 << 2,
  ORIEL_ASSERT_FENCE = 1 << 3,
  ORIEL_ASSERT_SHARED_LOCK = 1 << 4,
  ORIEL_ASSERT_EXCLUSIVE_LOCK = 1 << 5,
  ORIEL_ASSERT_ORDERED_REPLACE = 1 << 6,
  ORIEL_ASSERT_ORDERED_ACCUMULATE = 1 << 7,
  ORIEL_ASSERT_MULTI_ELEMENT = 1 << 8,
  ORIEL_ASSERT_USER_DATATYPE = 1 << 9,
  ORIEL_ASSERT_ATTACH = 1 << 10,
  ORIEL_ASSERT_NODE_LOAD_STORE = 1 << 16,
  ORIEL_ASSERT_NOTIFY = 1 << 17,
  // Everything that the proposal lists: the first eleven.
  ORIEL_ASSERT_EVERY = (1 << 11) - 1
};

// oriel::atomic_op. A set of operations has bit 1 << op for each.
enum oriel_op {
  ORIEL_OP_REPLACE = 0,
  ORIEL_OP_NO_OP,
  ORIEL_OP_SUM,
  ORIEL_OP_PROD,
  ORIEL_OP_MIN,
  ORIEL_OP_MAX,
  ORIEL_OP_LAND,
  ORIEL_OP_LOR,
  ORIEL_OP_LXOR,
  ORIEL_OP_BAND,
  ORIEL_OP_BOR,
  ORIEL_OP_BXOR,
  ORIEL_OP_MINLOC,
  ORIEL_OP_MAXLOC
};

// oriel::primitive. The pairs are structs, laid out by C's rules, of a value and its index, which
// is an int or has the value's type.
enum oriel_primitive {
  ORIEL_OPAQUE = 0,
  ORIEL_BYTE,
  ORIEL_BOOLEAN,
  ORIEL_INT8,
  ORIEL_INT16,
  ORIEL_INT32,
  ORIEL_INT64,
  ORIEL_UINT8,
  ORIEL_UINT16,
  ORIEL_UINT32,
  ORIEL_UINT64,
  ORIEL_FLOAT32,
  ORIEL_FLOAT64,
  ORIEL_FLOAT_LONG,
  ORIEL_COMPLEX32,
  ORIEL_COMPLEX64,
  ORIEL_COMPLEX_LONG,
  ORIEL_FLOAT_INT,
  ORIEL_DOUBLE_INT,
  ORIEL_LONG_INT,
  ORIEL_INT_INT,
  ORIEL_SHORT_INT,
  ORIEL_LONG_DOUBLE_INT,
  ORIEL_FLOAT_FLOAT,
  ORIEL_DOUBLE_DOUBLE
};

// oriel::sync_mode, to be added up: promises about one synchronization call.
enum oriel_mode {
  ORIEL_MODE_NONE = 0,
  ORIEL_MODE_NOCHECK = 1,
  ORIEL_MODE_NOSTORE = 2,
  ORIEL_MODE_NOPUT = 4,
  ORIEL_MODE_NOPRECEDE = 8,
  ORIEL_MODE_NOSUCCEED = 16
};

enum oriel_lock_kind { ORIEL_LOCK_SHARED = 0, ORIEL_LOCK_EXCLUSIVE };

// Which index of a subarray runs fastest: the last, or the first.
enum oriel_order { ORIEL_ORDER_C = 0, ORIEL_ORDER_FORTRAN };

enum oriel_thread_level {
  ORIEL_THREAD_DEFAULT = 0,  // multiple
  ORIEL_THREAD_SINGLE,
  ORIEL_THREAD_SERIALIZED,
  ORIEL_THREAD_MULTIPLE
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
