#include "shmem/context.hpp"

namespace oriel::shmem {

team_context::team_context(const process& p, oriel_shmem_team& of)
    : team_(&of), in_world_(of.in_world) {
  for (const int pe : in_world_) heaps_.push_back(p.memory.heaps()[static_cast<std::size_t>(pe)]);
  seen_ = {oriel_shmem_default_context.heap, oriel_shmem_default_context.bytes, heaps_.data(),
           pes(), this};
}

void symmetric_place::check(status s) const noexcept {
  if (!s.ok()) [[unlikely]]
    fail(window.failure());
}

void symmetric_place::check_complete(status s) const noexcept {
  check(s);
  if (in.checks) check(window.flush(owner, flush_scope::target, caller));
}

void symmetric_place::send_at_once() const noexcept {
  if (in.world.on_node(owner)) check(window.flush(owner, flush_scope::local, caller));
}

namespace {

// The PE of all that the context's PE `pe` is. Ends the job where it has none.
int owner_of(const process& p, shmem_ctx_t ctx, const char* call, int pe) noexcept {
  const auto* const made = static_cast<const team_context*>(ctx->more);
  if (made == nullptr) {
    p.require_pe(call, pe);
    return pe;
  }
  if (pe < 0 || pe >= made->pes())
    fail(std::string(call) + " names PE " + std::to_string(pe) +
         " of a context whose team has PEs 0 to " + std::to_string(made->pes() - 1));
  return made->in_world(pe);
}

}  // namespace

symmetric_place find(shmem_ctx_t ctx, const char* call, const void* at, std::size_t bytes,
                     int pe) noexcept {
  process& p = process::here(call);
  const int owner = owner_of(p, ctx, call, pe);
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
  return {p, region->window, rank{owner}, first};
}

}  // namespace oriel::shmem
