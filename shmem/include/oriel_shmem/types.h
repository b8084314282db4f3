/* Lists of the types that families of functions are defined on: X(name, type) for each. */
#ifndef ORIEL_SHMEM_TYPES_H
#define ORIEL_SHMEM_TYPES_H

#include <stddef.h>
#include <stdint.h>

/* Put, get and the collectives that move data. */
#define ORIEL_SHMEM_DATA_TYPES(X)  \
  X(float, float)                  \
  X(double, double)                \
  X(longdouble, long double)       \
  X(char, char)                    \
  X(schar, signed char)            \
  X(short, short)                  \
  X(int, int)                      \
  X(long, long)                    \
  X(longlong, long long)           \
  X(uchar, unsigned char)          \
  X(ushort, unsigned short)        \
  X(uint, unsigned int)            \
  X(ulong, unsigned long)          \
  X(ulonglong, unsigned long long) \
  X(int8, int8_t)                  \
  X(int16, int16_t)                \
  X(int32, int32_t)                \
  X(int64, int64_t)                \
  X(uint8, uint8_t)                \
  X(uint16, uint16_t)              \
  X(uint32, uint32_t)              \
  X(uint64, uint64_t)              \
  X(size, size_t)                  \
  X(ptrdiff, ptrdiff_t)

/* The same without types: X(bits of an element). */
#define ORIEL_SHMEM_SIZES(X) X(8) X(16) X(32) X(64) X(128)

/* Reductions by bits, and, beside all types of data, sums and products. */
#define ORIEL_SHMEM_REDUCED_BIT_TYPES(X) \
  X(uchar, unsigned char)                \
  X(ushort, unsigned short)              \
  X(uint, unsigned int)                  \
  X(ulong, unsigned long)                \
  X(ulonglong, unsigned long long)       \
  X(int8, int8_t)                        \
  X(int16, int16_t)                      \
  X(int32, int32_t)                      \
  X(int64, int64_t)                      \
  X(uint8, uint8_t)                      \
  X(uint16, uint16_t)                    \
  X(uint32, uint32_t)                    \
  X(uint64, uint64_t)                    \
  X(size, size_t)
__extension__ typedef float _Complex oriel_shmem_complexf;
__extension__ typedef double _Complex oriel_shmem_complexd;
#define ORIEL_SHMEM_COMPLEX_TYPES(X) \
  X(complexf, oriel_shmem_complexf)  \
  X(complexd, oriel_shmem_complexd)

/* Reductions of active sets. */
#define ORIEL_SHMEM_TO_ALL_TYPES(X) \
  ORIEL_SHMEM_FORMER_WAIT_TYPES(X)  \
  X(float, float)                   \
  X(double, double)                 \
  X(longdouble, long double)

/* Atomic operations, and those of them that are on bits; fetch, set and swap are on floating-point
 * numbers too. */
#define ORIEL_SHMEM_ATOMIC_TYPES(X) \
  X(int, int)                       \
  X(long, long)                     \
  X(longlong, long long)            \
  X(uint, unsigned int)             \
  X(ulong, unsigned long)           \
  X(ulonglong, unsigned long long)  \
  X(int32, int32_t)                 \
  X(int64, int64_t)                 \
  X(uint32, uint32_t)               \
  X(uint64, uint64_t)               \
  X(size, size_t)                   \
  X(ptrdiff, ptrdiff_t)
#define ORIEL_SHMEM_ATOMIC_BIT_TYPES(X) \
  X(uint, unsigned int)                 \
  X(ulong, unsigned long)               \
  X(ulonglong, unsigned long long)      \
  X(int32, int32_t)                     \
  X(int64, int64_t)                     \
  X(uint32, uint32_t)                   \
  X(uint64, uint64_t)
#define ORIEL_SHMEM_ATOMIC_AND_REAL_TYPES(X) \
  ORIEL_SHMEM_ATOMIC_TYPES(X)                \
  X(float, float)                            \
  X(double, double)

/* Atomic operations under the names of earlier specifications. */
#define ORIEL_SHMEM_FORMER_ATOMIC_TYPES(X) \
  X(int, int)                              \
  X(long, long)                            \
  X(longlong, long long)
#define ORIEL_SHMEM_FORMER_SWAP_TYPES(X) \
  ORIEL_SHMEM_FORMER_ATOMIC_TYPES(X)     \
  X(float, float)                        \
  X(double, double)

/* What is waited for and tested, and that under a name of earlier specifications. */
#define ORIEL_SHMEM_WAIT_TYPES(X) \
  ORIEL_SHMEM_ATOMIC_TYPES(X)     \
  X(short, short)                 \
  X(ushort, unsigned short)
#define ORIEL_SHMEM_FORMER_WAIT_TYPES(X) \
  ORIEL_SHMEM_FORMER_ATOMIC_TYPES(X)     \
  X(short, short)

/* A function of the default context, and its form for any. */
#define ORIEL_SHMEM_BOTH(result, name, ...) \
  result shmem_##name(__VA_ARGS__);         \
  result shmem_ctx_##name(shmem_ctx_t ctx, __VA_ARGS__);

#endif
