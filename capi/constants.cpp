// The numbers of the C face and their names.
#include <bit>

#include "capi/guard.hpp"
#include "oriel/assertion.hpp"
#include "oriel/datatype.hpp"
#include "oriel/oriel.h"
#include "oriel/primitive.hpp"
#include "oriel/rank.hpp"
#include "oriel/session.hpp"
#include "oriel/sync_mode.hpp"

namespace {

template <class CppEnum>
constexpr bool same(int c, CppEnum cpp) {
  return c == static_cast<int>(cpp);
}

static_assert(same(ORIEL_SUCCESS, oriel::errc::success));
static_assert(same(ORIEL_ERR_NOT_ASSERTED, oriel::errc::not_asserted));
static_assert(same(ORIEL_ERR_UNSUPPORTED_ASSERTION, oriel::errc::unsupported_assertion));
static_assert(same(ORIEL_ERR_MISMATCHED_ASSERTIONS, oriel::errc::mismatched_assertions));
static_assert(same(ORIEL_ERR_UNSUPPORTED_KIND, oriel::errc::unsupported_kind));
static_assert(same(ORIEL_ERR_PEER_FAILED, oriel::errc::peer_failed));
static_assert(same(ORIEL_ERR_TIMED_OUT, oriel::errc::timed_out));
static_assert(same(ORIEL_ERR_RMA_SYNC, oriel::errc::rma_sync));
static_assert(same(ORIEL_ERR_RMA_RANGE, oriel::errc::rma_range));
static_assert(same(ORIEL_ERR_RMA_CONFLICT, oriel::errc::rma_conflict));
static_assert(same(ORIEL_ERR_RMA_ATTACH, oriel::errc::rma_attach));
static_assert(same(ORIEL_ERR_RMA_SHARED, oriel::errc::rma_shared));
static_assert(same(ORIEL_ERR_RMA_FLAVOR, oriel::errc::rma_flavor));
static_assert(same(ORIEL_ERR_LOCKTYPE, oriel::errc::locktype));
static_assert(same(ORIEL_ERR_DISP, oriel::errc::disp));
static_assert(same(ORIEL_ERR_SIZE, oriel::errc::size));
static_assert(same(ORIEL_ERR_NO_MEM, oriel::errc::no_mem));
static_assert(same(ORIEL_ERR_BASE, oriel::errc::base));
static_assert(same(ORIEL_ERR_RANK, oriel::errc::rank));
static_assert(same(ORIEL_ERR_OP, oriel::errc::op));
static_assert(same(ORIEL_ERR_TYPE, oriel::errc::type));
static_assert(same(ORIEL_ERR_COUNT, oriel::errc::count));
static_assert(same(ORIEL_ERR_INFO, oriel::errc::info));
static_assert(same(ORIEL_ERR_ARG, oriel::errc::arg));
static_assert(same(ORIEL_ERR_SYSTEM, oriel::errc::system));
static_assert(same(ORIEL_ERR_MISMATCHED_COLLECTIVE, oriel::errc::mismatched_collective));
static_assert(same(ORIEL_ERR_WIN, oriel::errc::win));

static_assert(same(ORIEL_ASSERT_LOCAL_LOAD_STORE, oriel::assertion::local_load_store));
static_assert(same(ORIEL_ASSERT_REMOTE_LOAD_STORE, oriel::assertion::remote_load_store));
static_assert(same(ORIEL_ASSERT_PSCW, oriel::assertion::pscw));
static_assert(same(ORIEL_ASSERT_FENCE, oriel::assertion::fence));
static_assert(same(ORIEL_ASSERT_SHARED_LOCK, oriel::assertion::shared_lock));
static_assert(same(ORIEL_ASSERT_EXCLUSIVE_LOCK, oriel::assertion::exclusive_lock));
static_assert(same(ORIEL_ASSERT_ORDERED_REPLACE, oriel::assertion::ordered_replace));
static_assert(same(ORIEL_ASSERT_ORDERED_ACCUMULATE, oriel::assertion::ordered_accumulate));
static_assert(same(ORIEL_ASSERT_MULTI_ELEMENT, oriel::assertion::multi_element));
static_assert(same(ORIEL_ASSERT_USER_DATATYPE, oriel::assertion::user_datatype));
static_assert(same(ORIEL_ASSERT_ATTACH, oriel::assertion::attach));
static_assert(same(ORIEL_ASSERT_NODE_LOAD_STORE, oriel::assertion::node_load_store));
static_assert(same(ORIEL_ASSERT_NOTIFY, oriel::assertion::notify));
static_assert(ORIEL_ASSERT_EVERY == oriel::every_assertion.bits);
static_assert(oriel::all_assertions.size() == 13, "the C face lists thirteen assertions");

static_assert(same(ORIEL_OP_REPLACE, oriel::atomic_op::replace));
static_assert(same(ORIEL_OP_NO_OP, oriel::atomic_op::no_op));
static_assert(same(ORIEL_OP_SUM, oriel::atomic_op::sum));
static_assert(same(ORIEL_OP_PROD, oriel::atomic_op::prod));
static_assert(same(ORIEL_OP_MIN, oriel::atomic_op::min));
static_assert(same(ORIEL_OP_MAX, oriel::atomic_op::max));
static_assert(same(ORIEL_OP_LAND, oriel::atomic_op::land));
static_assert(same(ORIEL_OP_LOR, oriel::atomic_op::lor));
static_assert(same(ORIEL_OP_LXOR, oriel::atomic_op::lxor));
static_assert(same(ORIEL_OP_BAND, oriel::atomic_op::band));
static_assert(same(ORIEL_OP_BOR, oriel::atomic_op::bor));
static_assert(same(ORIEL_OP_BXOR, oriel::atomic_op::bxor));
static_assert(same(ORIEL_OP_MINLOC, oriel::atomic_op::minloc));
static_assert(same(ORIEL_OP_MAXLOC, oriel::atomic_op::maxloc));
static_assert(oriel::atomic_op_count == ORIEL_OP_MAXLOC + 1);

static_assert(same(ORIEL_OPAQUE, oriel::primitive::opaque));
static_assert(same(ORIEL_BYTE, oriel::primitive::byte));
static_assert(same(ORIEL_BOOLEAN, oriel::primitive::boolean));
// The integers count up in both.
static_assert(same(ORIEL_INT8, oriel::primitive::int8));
static_assert(same(ORIEL_INT64, oriel::primitive::int64));
static_assert(same(ORIEL_UINT8, oriel::primitive::uint8));
static_assert(same(ORIEL_UINT64, oriel::primitive::uint64));
static_assert(same(ORIEL_FLOAT32, oriel::primitive::float32));
static_assert(same(ORIEL_FLOAT64, oriel::primitive::float64));
static_assert(same(ORIEL_FLOAT_LONG, oriel::primitive::float_long));
static_assert(same(ORIEL_COMPLEX32, oriel::primitive::complex32));
static_assert(same(ORIEL_COMPLEX64, oriel::primitive::complex64));
static_assert(same(ORIEL_COMPLEX_LONG, oriel::primitive::complex_long));
static_assert(same(ORIEL_FLOAT_INT, oriel::primitive::float_int));
static_assert(same(ORIEL_DOUBLE_INT, oriel::primitive::double_int));
static_assert(same(ORIEL_LONG_INT, oriel::primitive::long_int));
static_assert(same(ORIEL_INT_INT, oriel::primitive::int_int));
static_assert(same(ORIEL_SHORT_INT, oriel::primitive::short_int));
static_assert(same(ORIEL_LONG_DOUBLE_INT, oriel::primitive::long_double_int));
static_assert(same(ORIEL_FLOAT_FLOAT, oriel::primitive::float_float));
static_assert(same(ORIEL_DOUBLE_DOUBLE, oriel::primitive::double_double));
static_assert(oriel::primitive_count == ORIEL_DOUBLE_DOUBLE + 1);

static_assert(ORIEL_MODE_NONE == oriel::no_mode.bits);
static_assert(ORIEL_MODE_NOCHECK == oriel::nocheck.bits);
static_assert(ORIEL_MODE_NOSTORE == oriel::nostore.bits);
static_assert(ORIEL_MODE_NOPUT == oriel::noput.bits);
static_assert(ORIEL_MODE_NOPRECEDE == oriel::noprecede.bits);
static_assert(ORIEL_MODE_NOSUCCEED == oriel::nosucceed.bits);
static_assert(same(ORIEL_LOCK_SHARED, oriel::lock_kind::shared));
static_assert(same(ORIEL_LOCK_EXCLUSIVE, oriel::lock_kind::exclusive));
static_assert(same(ORIEL_ORDER_C, oriel::storage_order::c));
static_assert(same(ORIEL_ORDER_FORTRAN, oriel::storage_order::fortran));
static_assert(ORIEL_ANY_RANK == oriel::any_rank.value);

}  // namespace

// The names are literals, and so end with a null.
extern "C" {

const char* oriel_error_name(int code) {
  return name(static_cast<oriel::errc>(code)).data();
}

const char* oriel_assertion_name(int assertion) {
  for (const oriel::assertion a : oriel::all_assertions)
    if (same(assertion, a)) return name(a).data();
  return "unknown";
}

const char* oriel_op_name(int op) {
  return oriel::capi::is_op(op) ? name(static_cast<oriel::atomic_op>(op)).data() : "unknown";
}

const char* oriel_primitive_name(int primitive) {
  const bool known = primitive >= 0 && primitive < oriel::primitive_count;
  return known ? name(static_cast<oriel::primitive>(primitive)).data() : "unknown";
}

int oriel_primitive_size(int primitive, size_t* bytes) {
  return oriel::capi::guarded([&] { *bytes = size_of(oriel::capi::primitive_from(primitive)); });
}

int oriel_op_defined(int op, int primitive, int* defined) {
  return oriel::capi::guarded([&] {
    const oriel::primitive type = oriel::capi::primitive_from(primitive);
    *defined =
        oriel::capi::is_op(op) && oriel::defined(static_cast<oriel::atomic_op>(op), type) ? 1 : 0;
  });
}

const char* oriel_last_error(void) {
  return oriel::capi::explanation();
}

}  // extern "C"
