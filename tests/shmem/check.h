// What the tests of the OpenSHMEM face share. They use OpenSHMEM's names alone, so that another
// implementation can be put to them.
#pragma once

#include <shmem.h>
#include <stdint.h>

struct world {
  int me;
  int pes;
  int next;  // the neighbours on a ring
  int previous;
};

// Prints what is wrong, with the test that is running; such checks make the program fail.
void check(int holds, const char* what, const char* file, int line);
#define CHECK(condition) check((condition) != 0, #condition, __FILE__, __LINE__)

// Of random tests: the same on all PEs. ORIEL_TEST_SEED repeats a run.
uint64_t seed_of_run(void);
// The next of a sequence of random numbers.
uint64_t next_random(uint64_t* state);

// The types that families of functions are defined on.
#define DATA_TYPES(X)              \
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
#define ATOMIC_TYPES(X)            \
  X(int, int)                      \
  X(long, long)                    \
  X(longlong, long long)           \
  X(uint, unsigned int)            \
  X(ulong, unsigned long)          \
  X(ulonglong, unsigned long long) \
  X(int32, int32_t)                \
  X(int64, int64_t)                \
  X(uint32, uint32_t)              \
  X(uint64, uint64_t)              \
  X(size, size_t)                  \
  X(ptrdiff, ptrdiff_t)

// A family a file. Collective.
void test_setup(const struct world* w);
void test_memory(const struct world* w);
void test_rma(const struct world* w);
void test_strided(const struct world* w);
void test_random_transfers(const struct world* w);
void test_atomics(const struct world* w);
void test_random_atomics(const struct world* w);
void test_waiting(const struct world* w);
void test_signals(const struct world* w);
void test_teams(const struct world* w);
void test_locks(const struct world* w);
void test_collectives(const struct world* w);
void test_reductions(const struct world* w);
void test_active_sets(const struct world* w);
void test_every_set(const struct world* w);
void test_generic(const struct world* w);
