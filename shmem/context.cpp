#include "shmem/context.hpp"

namespace oriel::shmem {

void symmetric_place::check(status s) const noexcept {
  if (!s.ok()) [[unlikely]]
    fail(window.failure());
}

void symmetric_place::check_complete(status s) const noexcept {
  check(s);
  if (in.checks) check(window.flush(owner, flush_scope::target, caller));
}

symmetric_place find(shmem_ctx_t ctx, const char* call, const void* at, std::size_t bytes,
                     int pe) noexcept {
  process& p = process::here(call);
  static_cast<void>(ctx);
  p.require_pe(call, pe);
  symmetric_region* const region = p.memory.region_of(at);
  if (region == nullptr)
    fail(std::string(call) + ": " + in_words(at) +
         " is no symmetric address: " + p.memory.in_words());
  const disp first = region->disp_of(at);
  const std::size_t room =
      (region == &p.memory.heap ? p.memory.heap_bytes() : region->bytes) - first.value;
  if (bytes > room)
    fail(std::string(call) + ": " + std::to_string(bytes) + " bytes from " + in_words(at) +
         " on are more than the " + std::to_string(room) +
         " up to the end of that symmetric memory: " + p.memory.in_words());
  return {p, region->window, rank{pe}, first};
}

}  // namespace oriel::shmem
