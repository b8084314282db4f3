#include "shmem/active_sets.hpp"

#include "shmem/atomics.hpp"
#include "shmem/guard.hpp"
#include "shmem/parted_reduction.hpp"
#include "shmem/parts.hpp"
#include "shmem/waiting.hpp"

namespace oriel::shmem {
namespace {

// Calls get_from(place, the PE of all that it is) for each, beginning with this one. What they get
// is here on return.
template <class Get>
void from_each(const active_set& set, Get get_from) noexcept {
  for (int step = 0; step < set.pes(); ++step) {
    const auto place = static_cast<std::size_t>((set.me + step) % set.pes());
    get_from(place, set.in_world[place]);
  }
  process::here(set.call).quiet();
}

}  // namespace

active_set::active_set(const char* name, int start, int log_stride, int size, long* sync) noexcept
    : call(name), sync_(sync) {
  const process& p = process::here(call);
  const bool can_be = start >= 0 && size >= 1 && log_stride >= 0 && log_stride < 31 &&
                      start + (static_cast<long>(size) - 1) * (1l << log_stride) < p.pes;
  for (int i = 0; can_be && i < size; ++i) {
    const int pe = start + i * (1 << log_stride);
    if (pe == p.me) me = i;
    guarded(call, [&] { in_world.push_back(pe); });
  }
  if (me < 0)
    fail(std::string(call) + ": the active set of " + std::to_string(size) + " PEs from " +
         std::to_string(start) + " on, 2^" + std::to_string(log_stride) + " apart, " +
         (can_be ? "does not hold this PE" : "is none of PEs 0 to " + std::to_string(p.pes - 1)));
}

void active_set::meet() const noexcept {
  for (int round = 0, distance = 1; distance < pes(); ++round, distance *= 2) {
    long* const word = sync_ + round;
    const int next = in_world[static_cast<std::size_t>((me + distance) % pes())];
    const int before = in_world[static_cast<std::size_t>((me + pes() - distance) % pes())];
    static_cast<void>(fetch_update<atomic_op::sum>(SHMEM_CTX_DEFAULT, word, 1l, next));
    wait_until(
        call, [word] { return __atomic_load_n(word, __ATOMIC_ACQUIRE) != 0; }, before);
    static_cast<void>(fetch_update<atomic_op::sum>(SHMEM_CTX_DEFAULT, word, -1l,
                                                   in_world[static_cast<std::size_t>(me)]));
  }
}

std::vector<long> active_set::gather(long mine) const {
  std::vector<long> all(in_world.size());
  __atomic_store_n(given(), mine, __ATOMIC_RELEASE);
  meet();
  from_each(*this,
            [&](std::size_t place, int pe) { get_part(&all[place], given(), sizeof(long), pe); });
  meet();
  __atomic_store_n(given(), SHMEM_SYNC_VALUE, __ATOMIC_RELEASE);
  return all;
}

void broadcast(const active_set& set, void* dest, const void* source, std::size_t bytes,
               int root) noexcept {
  if (root < 0 || root >= set.pes())
    fail(std::string(set.call) + " names PE " + std::to_string(root) +
         " of an active set with places 0 to " + std::to_string(set.pes() - 1));
  set.meet();
  if (set.me != root) {
    get_part(dest, source, bytes, set.in_world[static_cast<std::size_t>(root)]);
    process::here(set.call).quiet();
  }
  set.meet();
}

void fcollect(const active_set& set, void* dest, const void* source, std::size_t bytes) noexcept {
  set.meet();
  from_each(set, [&](std::size_t place, int pe) {
    get_part(behind(dest, place * bytes), source, bytes, pe);
  });
  set.meet();
}

void collect(const active_set& set, void* dest, const void* source, std::size_t bytes) noexcept {
  const auto sizes = guarded(set.call, [&] { return set.gather(static_cast<long>(bytes)); });
  const auto begin_of = [&](std::size_t place) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < place; ++i) at += static_cast<std::size_t>(sizes[i]);
    return at;
  };
  from_each(set, [&](std::size_t place, int pe) {
    get_part(behind(dest, begin_of(place)), source, static_cast<std::size_t>(sizes[place]), pe);
  });
  set.meet();
}

void alltoall(const active_set& set, void* dest, const void* source, std::size_t bytes) noexcept {
  const void* const for_me = behind(source, static_cast<std::size_t>(set.me) * bytes);
  set.meet();
  from_each(set, [&](std::size_t place, int pe) {
    get_part(behind(dest, place * bytes), for_me, bytes, pe);
  });
  set.meet();
}

void alltoalls(const active_set& set, strided<void*> dest, strided<const void*> source,
               std::size_t bytes, std::size_t n) noexcept {
  const auto part = [&](std::size_t place, std::ptrdiff_t step) {
    return place * n * bytes * static_cast<std::size_t>(step);
  };
  const void* const for_me = behind(source.at, part(static_cast<std::size_t>(set.me), source.step));
  set.meet();
  from_each(set, [&](std::size_t place, int pe) {
    iget(SHMEM_CTX_DEFAULT, {behind(dest.at, part(place, dest.step)), dest.step},
         {for_me, source.step}, bytes, n, pe);
  });
  set.meet();
}

void reduce(const active_set& set, void* dest, const void* source, std::size_t n,
            const reduced_elements& of) noexcept {
  guarded(set.call, [&] {
    parted_reduction parts(set.me, set.in_world, dest, source, n, of);
    set.meet();
    parts.reduce_my_part();
    set.meet();
    parts.get_other_parts();
    process::here(set.call).quiet();
    set.meet();
  });
}

}  // namespace oriel::shmem
