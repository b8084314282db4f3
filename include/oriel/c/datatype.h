// Datatypes, as oriel/datatype.hpp: where the elements of a buffer lie, by MPI's definitions.
//
// Immutable: several threads may use one, and it may be freed as soon as the call that takes it has
// returned. Constructors return ORIEL_ERR_COUNT for sizes or displacements that overflow,
// ORIEL_ERR_ARG for subarrays that do not lie in their array, ORIEL_ERR_TYPE for no element type.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_datatype oriel_datatype;

int oriel_datatype_free(oriel_datatype* type);

// One element of `primitive`, ORIEL_INT32, …; `n` bytes without arithmetic, with the alignment (1:
// any) that counts in structures.
int oriel_datatype_of(int primitive, oriel_datatype** type);
int oriel_datatype_bytes(size_t n, size_t alignment, oriel_datatype** type);

// `count` elements of `old`, one after another.
int oriel_datatype_contiguous(size_t count, const oriel_datatype* old, oriel_datatype** type);
// `count` blocks of `blocklength` elements, `stride` extents of `old` apart; hvector: bytes.
int oriel_datatype_vector(size_t count, size_t blocklength, ptrdiff_t stride,
                          const oriel_datatype* old, oriel_datatype** type);
int oriel_datatype_hvector(size_t count, size_t blocklength, ptrdiff_t stride,
                           const oriel_datatype* old, oriel_datatype** type);
// `n` blocks, with displacements in extents of `old`; hindexed: bytes.
int oriel_datatype_indexed(size_t n, const size_t* blocklengths, const ptrdiff_t* displacements,
                           const oriel_datatype* old, oriel_datatype** type);
int oriel_datatype_hindexed(size_t n, const size_t* blocklengths, const ptrdiff_t* displacements,
                            const oriel_datatype* old, oriel_datatype** type);
int oriel_datatype_indexed_block(size_t n, size_t blocklength, const ptrdiff_t* displacements,
                                 const oriel_datatype* old, oriel_datatype** type);
// Displacements in bytes; each block has a type of its own.
int oriel_datatype_structure(size_t n, const size_t* blocklengths, const ptrdiff_t* displacements,
                             const oriel_datatype* const* types, oriel_datatype** type);
// The elements [starts, starts + subsizes) of an array of `sizes`, whose extent is the whole
// array's. `order`: ORIEL_ORDER_C or ORIEL_ORDER_FORTRAN, else ORIEL_ERR_ARG.
int oriel_datatype_subarray(size_t dimensions, const size_t* sizes, const size_t* subsizes,
                            const size_t* starts, int order, const oriel_datatype* old,
                            oriel_datatype** type);
// `old` with other markers, which types built of it keep.
int oriel_datatype_resized(const oriel_datatype* old, ptrdiff_t lower_bound, ptrdiff_t extent,
                           oriel_datatype** type);

// In bytes: the size of the data; the bounds with markers; the bounds of the data alone.
int oriel_datatype_size(const oriel_datatype* type, size_t* bytes);
int oriel_datatype_extent(const oriel_datatype* type, ptrdiff_t* lower_bound, ptrdiff_t* extent);
int oriel_datatype_true_extent(const oriel_datatype* type, ptrdiff_t* lower_bound, size_t* extent);
// `primitive`: of all elements; ORIEL_OPAQUE where they differ or there is none.
int oriel_datatype_primitive(const oriel_datatype* type, int* primitive);
// 1 or 0: whether it is what oriel_datatype_of and _bytes make; whether the data are one run from
// displacement 0 without gaps between elements.
int oriel_datatype_is_predefined(const oriel_datatype* type, int* predefined);
int oriel_datatype_is_contiguous(const oriel_datatype* type, int* contiguous);

// `blocks` blocks of `elements` elements, `stride` bytes apart, the first at `offset`.
typedef struct oriel_datatype_run {
  ptrdiff_t offset;
  size_t elements;
  size_t blocks;
  ptrdiff_t stride;
  int primitive;
} oriel_datatype_run;
// The typemap, in its order, with regular parts folded together.
int oriel_datatype_runs(const oriel_datatype* type, oriel_datatype_run* runs, size_t capacity,
                        size_t* number);

// 1 or 0: whether runs and markers are the same; whether `count_a` of `a` and `count_b` of `b` hold
// the same elements in the same order.
int oriel_datatype_equal(const oriel_datatype* a, const oriel_datatype* b, int* equal);
int oriel_datatype_signatures_match(const oriel_datatype* a, size_t count_a,
                                    const oriel_datatype* b, size_t count_b, int* match);
// Equal for equal datatypes, in every process.
int oriel_datatype_hash(const oriel_datatype* type, uint64_t* hash);
// A text for messages: "3 runs of 24 bytes, extent 48".
int oriel_datatype_describe(const oriel_datatype* type, char* text, size_t capacity,
                            size_t* length);

#ifdef __cplusplus
}
#endif
