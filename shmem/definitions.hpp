// How the calls of the header are defined: like it, a family of types at once.
#pragma once

#include "shmem/api.hpp"

// NOLINTBEGIN(bugprone-macro-parentheses): types are no expressions.
// A function of the default context, and its form for any; `call` uses `ctx`.
#define ORIEL_SHMEM_DEFINE(result, name, call, ...)        \
  result pshmem_##name(__VA_ARGS__) {                      \
    const shmem_ctx_t ctx = SHMEM_CTX_DEFAULT;             \
    call;                                                  \
  }                                                        \
  ORIEL_SHMEM_WEAK(name)                                   \
  result pshmem_ctx_##name(shmem_ctx_t ctx, __VA_ARGS__) { \
    call;                                                  \
  }                                                        \
  ORIEL_SHMEM_WEAK(ctx_##name)
// NOLINTEND(bugprone-macro-parentheses)
