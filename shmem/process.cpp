#include "shmem/process.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>

#include "session/session_state.hpp"
#include "shmem/guard.hpp"
#include "shmem/heap_size.hpp"
#include "shmem/teams.hpp"
#include "sync/wait.hpp"

// Of a program that has not called shmem_init: every operation is a call.
struct oriel_shmem_context oriel_shmem_default_context = {nullptr, 0, nullptr, 0, nullptr};

namespace oriel::shmem {
namespace {

std::atomic<process*> the_process{nullptr};

// Where two megabytes of alignment do not take much of it.
constexpr std::size_t default_step = std::size_t{2} << 20;

std::size_t wanted_heap_bytes(session& job) {
  if (const char* const text = std::getenv("SHMEM_SYMMETRIC_SIZE")) {
    const auto bytes = heap_bytes_from(text);
    if (!bytes)
      throw error(errc::arg, "SHMEM_SYMMETRIC_SIZE is '" + std::string(text) +
                                 "'; valid: bytes, or a number with K, M, G or T behind it");
    return (*bytes + heap_space::granule - 1) & ~(heap_space::granule - 1);
  }
  // At most half of the node's memory for all of its PEs.
  const auto here = static_cast<std::size_t>(job.node().size());
  const std::size_t share = job.state()->memory().capacity() / 2 / here & ~(default_step - 1);
  return job.world().allreduce<std::uint64_t>(std::min(default_heap_bytes, share), atomic_op::min);
}

thread_level level_of(int threads) noexcept {
  return threads == SHMEM_THREAD_MULTIPLE ? thread_level::multiple
         : threads == SHMEM_THREAD_SINGLE ? thread_level::single
                                          : thread_level::serialized;
}

// The program returns from main or calls exit. With a status it has failed, and does not wait for
// PEs that know nothing of it.
void at_exit(int status, void*) noexcept {
  if (process::get() == nullptr || is_ending()) return;
  if (status == 0) process::close();
}

}  // namespace

process* process::get() noexcept {
  return the_process.load(std::memory_order_acquire);
}

process& process::here(const char* call) noexcept {
  process* const p = get();
  if (p == nullptr) [[unlikely]]
    fail(std::string(call) + ": shmem_init has not been called, or shmem_finalize has been");
  return *p;
}

process::process(const session_options& options, int level)
    : job(options),
      world(job.world()),
      threads(level),
      me(world.me().value),
      pes(world.size()),
      checks(job.state()->check()),
      memory(job, wanted_heap_bytes(job), sizeof(ending_word)),
      space(memory.heap_bytes()) {
  if (pes > 1)
    watch_ = std::make_unique<ending_watch>(*reinterpret_cast<ending_word*>(memory.hidden()),
                                            job.node().size() < pes);
}

process::~process() = default;

process* process::make(int level) {
  session_options options;
  options.threads = level_of(level);
  return new process(options, level);
}

void process::open(int level) noexcept {
  if (get() != nullptr) return;
  static const bool registered = on_exit(at_exit, nullptr) == 0;
  static_cast<void>(registered);
  process* const made = guarded("shmem_init", [level] { return make(level); });
  the_process.store(made, std::memory_order_release);
  oriel_shmem_default_context = {reinterpret_cast<const char*>(made->memory.heap.begin),
                                 made->checks ? 0 : made->memory.heap_bytes(),
                                 made->memory.heaps().data(), made->pes, nullptr};
  guarded("shmem_init", [made] { open_teams(*made); });
  made->barrier();
}

void process::close() noexcept {
  process* const p = get();
  if (p == nullptr) return;
  p->barrier_all();
  oriel_shmem_default_context = {nullptr, 0, nullptr, 0, nullptr};
  the_process.store(nullptr);
  close_teams();
  delete p;
}

void process::require_pe(const char* call, int pe) const noexcept {
  if (static_cast<unsigned>(pe) < static_cast<unsigned>(pes)) [[likely]]
    return;
  fail(std::string(call) + " names PE " + std::to_string(pe) + "; the job has PEs 0 to " +
       std::to_string(pes - 1));
}

void process::quiet() noexcept {
  if (const any_window* const failed = memory.complete()) [[unlikely]]
    fail(failed->first_failure());
}

void process::barrier() noexcept {
  if (!world.barrier().ok()) [[unlikely]]
    fail(world.failure());
  note_order();
}

// Failures on the way are of PEs that have ended, or soon will have.
void process::announce_end(int status) noexcept {
  const std::uint32_t word = ending_word::with(status);
  any_window& window = memory.heap.window;
  const disp at = memory.heap.disp_of(memory.hidden());
  for (int pe = 0; pe < pes; ++pe) {
    if (pe == me) continue;
    if (std::byte* const there = memory.heap.mapped(rank{pe})) {
      auto& theirs = *reinterpret_cast<ending_word*>(there + at.value);
      theirs.value.store(word);
      sync::futex_wake_all(theirs.value);
    } else {
      static_cast<void>(window.put(rank{pe}, at, &word, sizeof word));
    }
  }
  static_cast<void>(window.flush_all());
}

}  // namespace oriel::shmem
