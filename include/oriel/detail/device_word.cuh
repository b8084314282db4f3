// Accesses to one aligned word, coherent with every other device and host that reaches it: relaxed
// accesses and updates of system scope, and the fence, acquiring load and releasing store that
// order them. The only file that names the machines' instructions.
//
// On the host updates are seq_cst, as everywhere in oriel (detail/cpu_atomic.hpp).
#pragma once

#include <cstddef>
#include <type_traits>

#include "oriel/device_marks.hpp"

#if !defined(ORIEL_DEVICE_CUDA) && !defined(ORIEL_DEVICE_HIP)
#include <thread>
#endif

namespace oriel::detail::device {

// may_alias: the memory holds some T and is accessed as an integer of its size. The devices' own
// instructions take `unsigned` and `unsigned long long`.
template <std::size_t Bytes>
struct word {};
template <>
struct word<1> {
  using type [[gnu::may_alias]] = unsigned char;
};
template <>
struct word<2> {
  using type [[gnu::may_alias]] = unsigned short;
};
template <>
struct word<4> {
  using type [[gnu::may_alias]] = unsigned int;
};
template <>
struct word<8> {
  using type [[gnu::may_alias]] = unsigned long long;
};
template <std::size_t Bytes>
using word_t = typename word<Bytes>::type;

using word32 = word_t<4>;
using word64 = word_t<8>;

// Orders every earlier access of the thread before every later one, for all observers.
ORIEL_DEVICE inline void fence() noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  __threadfence_system();
#elif defined(ORIEL_DEVICE_HIP)
  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");  // the empty scope is the system
#else
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
#endif
}

// Lets other threads run between two loads of a word that has not changed.
ORIEL_DEVICE inline void pause() noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  __nanosleep(100);
#elif defined(ORIEL_DEVICE_HIP)
  __builtin_amdgcn_s_sleep(2);
#else
  std::this_thread::yield();
#endif
}

// Returns the same value, opaque to the compiler. Threads that share a program counter need it: a
// step that ends a thread's loop must be performed within the loop, not be moved behind it, where
// it would wait for threads that wait for it. CUDA's need it before compute capability 7.0, and on
// the test driver, which runs them in lockstep.
ORIEL_DEVICE inline int hidden(int value) noexcept {
#if defined(ORIEL_DEVICE_HIP)
  asm volatile("" : "+v"(value));
#elif defined(ORIEL_DEVICE_CUDA)
  asm volatile("" : "+r"(value));
#endif
  return value;
}

// W is a word of 1, 2, 4 or 8 bytes.
template <class W>
ORIEL_DEVICE inline W load_relaxed(const W* at) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  return *static_cast<const volatile W*>(at);  // PTX: volatile is relaxed, of system scope
#elif defined(ORIEL_DEVICE_HIP)
  // LLVM 14 has no narrow atomic accesses for AMD; volatile ones pass the caches all the same.
  if constexpr (sizeof(W) < 4)
    return *static_cast<const volatile W*>(at);
  else
    return __hip_atomic_load(at, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  return __atomic_load_n(at, __ATOMIC_RELAXED);
#endif
}
template <class W>
ORIEL_DEVICE inline void store_relaxed(W* at, std::type_identity_t<W> value) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  *static_cast<volatile W*>(at) = value;
#elif defined(ORIEL_DEVICE_HIP)
  if constexpr (sizeof(W) < 4)
    *static_cast<volatile W*>(at) = value;
  else
    __hip_atomic_store(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  __atomic_store_n(at, value, __ATOMIC_RELAXED);
#endif
}

// Returns a pointer that nothing writes while a kernel runs that reads it. The compiler may keep it
// in a register, where it would load another one again after every atomic.
template <class T>
ORIEL_DEVICE inline T* load_constant(T* const* at) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  static_assert(sizeof(T*) == sizeof(word64));
  return reinterpret_cast<T*>(__ldg(reinterpret_cast<const word64*>(at)));
#else
  return *at;
#endif
}

// From here on W is a word of 4 or 8 bytes: no device updates narrower ones.
template <class W>
ORIEL_DEVICE inline W load_acquire(const W* at) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  W value;
  if constexpr (sizeof(W) == 4)
    asm volatile("ld.acquire.sys.b32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
  else
    asm volatile("ld.acquire.sys.b64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
  return value;
#elif defined(ORIEL_DEVICE_HIP)
  return __hip_atomic_load(at, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  return __atomic_load_n(at, __ATOMIC_ACQUIRE);
#endif
}
template <class W>
ORIEL_DEVICE inline void store_release(W* at, std::type_identity_t<W> value) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  if constexpr (sizeof(W) == 4)
    asm volatile("st.release.sys.b32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
  else
    asm volatile("st.release.sys.b64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
#elif defined(ORIEL_DEVICE_HIP)
  __hip_atomic_store(at, value, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  __atomic_store_n(at, value, __ATOMIC_RELEASE);
#endif
}

// Updates return the word before.
template <class W>
ORIEL_DEVICE inline W exchange_word(W* at, std::type_identity_t<W> value) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  return atomicExch_system(at, value);
#elif defined(ORIEL_DEVICE_HIP)
  return __hip_atomic_exchange(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST);
#endif
}
template <class W>
ORIEL_DEVICE inline W compare_exchange(W* at, std::type_identity_t<W> expected,
                                       std::type_identity_t<W> desired) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  return atomicCAS_system(at, expected, desired);
#elif defined(ORIEL_DEVICE_HIP)
  __hip_atomic_compare_exchange_strong(at, &expected, desired, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_SYSTEM);
  return expected;
#else
  __atomic_compare_exchange_n(at, &expected, desired, /*weak=*/false, __ATOMIC_SEQ_CST,
                              __ATOMIC_SEQ_CST);
  return expected;
#endif
}
template <class W>
ORIEL_DEVICE inline W fetch_add(W* at, std::type_identity_t<W> value) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  return atomicAdd_system(at, value);
#elif defined(ORIEL_DEVICE_HIP)
  return __hip_atomic_fetch_add(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  return __atomic_fetch_add(at, value, __ATOMIC_SEQ_CST);
#endif
}
template <class W>
ORIEL_DEVICE inline W fetch_and(W* at, std::type_identity_t<W> value) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  return atomicAnd_system(at, value);
#elif defined(ORIEL_DEVICE_HIP)
  return __hip_atomic_fetch_and(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  return __atomic_fetch_and(at, value, __ATOMIC_SEQ_CST);
#endif
}
template <class W>
ORIEL_DEVICE inline W fetch_or(W* at, std::type_identity_t<W> value) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  return atomicOr_system(at, value);
#elif defined(ORIEL_DEVICE_HIP)
  return __hip_atomic_fetch_or(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  return __atomic_fetch_or(at, value, __ATOMIC_SEQ_CST);
#endif
}
template <class W>
ORIEL_DEVICE inline W fetch_xor(W* at, std::type_identity_t<W> value) noexcept {
#if defined(ORIEL_DEVICE_CUDA)
  return atomicXor_system(at, value);
#elif defined(ORIEL_DEVICE_HIP)
  return __hip_atomic_fetch_xor(at, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
#else
  return __atomic_fetch_xor(at, value, __ATOMIC_SEQ_CST);
#endif
}

}  // namespace oriel::detail::device
