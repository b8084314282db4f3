// Datatypes, as oriel/datatype.hpp: where the elements of a buffer lie, by MPI's definitions.
//
// Immutable: they may be freed as soon as the call that was given them has returned, and used by
// several threads. Constructors: ORIEL_ERR_COUNT for sizes that overflow, ORIEL_ERR_ARG for
// impossible subarrays, ORIEL_ERR_TYPE for a bad extent or no element type.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct oriel_datatype oriel_datatype;

int oriel_datatype_free(oriel_datatype* type);

// One element of ORIEL_INT32, …; `n` bytes without arithmetic, with the alignment (1: any) that
// counts in structures.
int oriel_datatype_of(int primitive, oriel_datatype** type);
int oriel_datatype_bytes(size_t n, size_t alignment, oriel_datatype** type);

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
// `order`: ORIEL_ORDER_C or ORIEL_ORDER_FORTRAN.
int oriel_datatype_subarray(size_t dimensions, const size_t* sizes, const size_t* subsizes,
                            const size_t* starts, int order, const oriel_datatype* old,
                            oriel_datatype** type);
int oriel_datatype_resized(const oriel_datatype* old, ptrdiff_t lower_bound, ptrdiff_t extent,
                           oriel_datatype** type);

// All in bytes: the data; the bounds with markers; the bounds of the data alone.
int oriel_datatype_size(const oriel_datatype* type, size_t* bytes);
int oriel_datatype_extent(const oriel_datatype* type, ptrdiff_t* lower_bound, ptrdiff_t* extent);
int oriel_datatype_true_extent(const oriel_datatype* type, ptrdiff_t* lower_bound, size_t* extent);
// The element type of all elements; ORIEL_OPAQUE when they differ or there is none.
int oriel_datatype_primitive(const oriel_datatype* type, int* primitive);
// 1 or 0: what oriel_datatype_of and _bytes make; one run of data from displacement 0 without gaps
// between elements.
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
// The typemap in its order, with what is regular folded together.
int oriel_datatype_runs(const oriel_datatype* type, oriel_datatype_run* runs, size_t capacity,
                        size_t* number);

// 1 or 0: the same runs and markers; the same elements in the same order.
int oriel_datatype_equal(const oriel_datatype* a, const oriel_datatype* b, int* equal);
int oriel_datatype_signatures_match(const oriel_datatype* a, size_t count_a,
                                    const oriel_datatype* b, size_t count_b, int* match);
// Equal for equal datatypes, in every process.
int oriel_datatype_hash(const oriel_datatype* type, uint64_t* hash);
// For messages: "3 runs of 24 bytes, extent 48".
int oriel_datatype_describe(const oriel_datatype* type, char* text, size_t capacity,
                            size_t* length);

#ifdef __cplusplus
}
#endif
