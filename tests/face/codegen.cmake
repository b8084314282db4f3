# The instructions of the hot path, of SOURCE.
include(${CMAKE_CURRENT_LIST_DIR}/assembly.cmake)

set(store "^mov[a-z]*[ \t]+(%[a-z0-9]+|\\$[0-9]+),[ \t]*[-0-9a-z]*\\(")
set(jump_or_call "^(j[a-z]+|call)[ \t]")
foreach(function hot_put hot_get hot_fetch_add hot_compare_swap)
  expect(${function} "${jump_or_call}" 0)
endforeach()
expect(hot_put "${store}" 1)
expect(hot_put "^lock" 0)
expect(hot_get "${store}" 0)
expect(hot_get "^lock" 0)
# What w[r][i] costs: the very instructions of put and get.
expect_same(hot_view_put hot_put)
expect_same(hot_view_get hot_get)
expect(hot_fetch_add "^lock xadd|^lock;? *xadd" 1)
expect(hot_compare_swap "^lock cmpxchg|^lock;? *cmpxchg" 1)
# One test whether this process has threads, and either addition.
expect(hot_add_exclusive "${jump_or_call}" 1)
expect(hot_add_exclusive "^jn?(e|z)[ \t]" 1)
expect(hot_add_exclusive "^lock" 1)
expect(hot_add_exclusive "^add[a-z]*[ \t]+%[a-z0-9]+,[ \t]*[-0-9a-z]*\\(" 1)
# Plain stores announce it: no other instruction is a fence.
expect(hot_add_beside_long "^(lock|xchg|mfence)" 1)
expect(hot_add_beside_long "^lock (add|inc)" 1)
