// The kernel behind device_runtime::apply for Level Zero, in OpenCL C: what atomic_kernel_body.cuh
// is for CUDA and HIP. It is compiled to SPIR-V, which the driver translates for its device.
//
// An element is handled as its bits, zero-extended to 64. Every update is a loop of compare and
// exchange, of relaxed order and of the scope that spans devices and the host; elements of 1 and 2
// bytes are a part of the aligned 4 bytes around them, of which the others are kept. Little-endian.

enum {
#define ORIEL_ATOMIC_OP(number, name, c_name) op_##name = number,
#include "oriel/enumerations/atomic_op.def"
};
enum {
#define ORIEL_PRIMITIVE(number, name, c_name, text, ...) type_##name = number,
#include "oriel/enumerations/primitive.def"
};
enum { accumulate = 0, compare_swap = 1 };  // kinds::atomic_action

// Instructions of SPIR-V, which the translator knows by these names.
enum { cross_device = 0, relaxed = 0 };
uint __attribute__((overloadable)) __spirv_AtomicLoad(volatile global uint*, int scope, int order);
ulong __attribute__((overloadable))
__spirv_AtomicLoad(volatile global ulong*, int scope, int order);
uint __attribute__((overloadable))
__spirv_AtomicCompareExchange(volatile global uint*, int scope, int equal, int unequal, uint value,
                              uint comparator);
ulong __attribute__((overloadable))
__spirv_AtomicCompareExchange(volatile global ulong*, int scope, int equal, int unequal,
                              ulong value, ulong comparator);

// The bits of an element that nobody changes.
static ulong read_bits(const global uchar* at, uint width) {
  switch (width) {
    case 1:
      return *at;
    case 2:
      return *(const global ushort*)at;
    case 4:
      return *(const global uint*)at;
    default:
      return *(const global ulong*)at;
  }
}
static void write_bits(global uchar* at, uint width, ulong bits) {
  switch (width) {
    case 1:
      *at = (uchar)bits;
      return;
    case 2:
      *(global ushort*)at = (ushort)bits;
      return;
    case 4:
      *(global uint*)at = (uint)bits;
      return;
    default:
      *(global ulong*)at = bits;
  }
}

// The 4 bytes that hold an element of at most 4, and where it is in them.
static volatile global uint* word_around(global uchar* at) {
  return (volatile global uint*)((ulong)at & ~3ul);
}
static uint shift_of(global uchar* at) {
  return ((uint)(ulong)at & 3u) * 8u;
}
static uint mask_of(uint width) {
  return width == 4 ? ~0u : (1u << (8 * width)) - 1u;
}

static ulong load_bits(global uchar* at, uint width) {
  if (width == 8) return __spirv_AtomicLoad((volatile global ulong*)at, cross_device, relaxed);
  return __spirv_AtomicLoad(word_around(at), cross_device, relaxed) >> shift_of(at) &
         mask_of(width);
}

// Stores `desired` where the element is `expected`; returns what it was.
static ulong swap_bits(global uchar* at, uint width, ulong expected, ulong desired) {
  if (width == 8)
    return __spirv_AtomicCompareExchange((volatile global ulong*)at, cross_device, relaxed, relaxed,
                                         desired, expected);
  volatile global uint* const word = word_around(at);
  const uint shift = shift_of(at);
  const uint mask = mask_of(width);
  uint around = __spirv_AtomicLoad(word, cross_device, relaxed);
  for (;;) {
    const uint before = around >> shift & mask;
    if (before != (uint)expected) return before;
    const uint after = (around & ~(mask << shift)) | ((uint)desired & mask) << shift;
    const uint seen =
        __spirv_AtomicCompareExchange(word, cross_device, relaxed, relaxed, after, around);
    if (seen == around) return before;
    around = seen;
  }
}

static bool less(uint type, uint width, ulong a, ulong b) {
  const uint unused = 64 - 8 * width;
  if (type >= type_int8 && type <= type_int64) return (long)(a << unused) < (long)(b << unused);
  return a < b;
}

static ulong combine_integers(uint op, uint type, uint width, ulong a, ulong b) {
  switch (op) {
    case op_sum:
      return a + b;
    case op_prod:
      return a * b;
    case op_min:
      return less(type, width, b, a) ? b : a;
    case op_max:
      return less(type, width, a, b) ? b : a;
    case op_land:
      return a != 0 && b != 0;
    case op_lor:
      return a != 0 || b != 0;
    case op_lxor:
      return (a != 0) != (b != 0);
    case op_band:
      return a & b;
    case op_bor:
      return a | b;
    default:
      return a ^ b;
  }
}

// A NaN never wins min or max against what is there.
#define COMBINE_REALS(real)                             \
  static real combine_##real(uint op, real a, real b) { \
    switch (op) {                                       \
      case op_sum:                                      \
        return a + b;                                   \
      case op_prod:                                     \
        return a * b;                                   \
      case op_min:                                      \
        return b < a ? b : a;                           \
      default:                                          \
        return a < b ? b : a;                           \
    }                                                   \
  }
COMBINE_REALS(float)
COMBINE_REALS(double)

// What `op` stores where `a` is and `b` is the operand; of the result's bits the element takes
// those that it has room for.
static ulong combine(uint op, uint type, uint width, ulong a, ulong b) {
  if (op == op_replace) return b;
  if (type == type_float32) return as_uint(combine_float(op, as_float((uint)a), as_float((uint)b)));
  if (type == type_float64) return as_ulong(combine_double(op, as_double(a), as_double(b)));
  return combine_integers(op, type, width, a, b);
}

// A bool's byte is true when it is not 0, whatever was put there.
static ulong value_of(uint type, ulong bits) {
  return type == type_boolean ? bits != 0 : bits;
}

// The fields of kinds::atomic_task (set_arguments in kernels.hpp). `operands` is null for no_op,
// `results` when not wanted.
kernel void oriel_apply(uint action, uint op, uint type, uint width, ulong n,
                        global uchar* location, const global uchar* operands,
                        global uchar* results) {
  if (action == compare_swap) {
    if (get_global_id(0) != 0) return;
    const ulong before =
        swap_bits(location, width, read_bits(operands, width), read_bits(operands + width, width));
    if (results != 0) write_bits(results, width, before);
    return;
  }
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
    global uchar* const at = location + i * width;
    ulong before = load_bits(at, width);
    if (op != op_no_op) {
      const ulong operand = value_of(type, read_bits(operands + i * width, width));
      for (;;) {
        const ulong after = combine(op, type, width, value_of(type, before), operand);
        const ulong seen = swap_bits(at, width, before, after);
        if (seen == before) break;
        before = seen;
      }
    }
    if (results != 0) write_bits(results + i * width, width, value_of(type, before));
  }
}
