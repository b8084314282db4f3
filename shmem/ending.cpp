#include "shmem/ending.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "session/node/signal_masked_thread.hpp"
#include "shmem/process.hpp"
#include "sync/wait.hpp"

namespace oriel::shmem {
namespace {

std::atomic<bool> ending{false};

// What this process has printed, unless another thread is printing: that one may wait for input
// with its stream locked.
void flush_output() noexcept {
  for (std::FILE* const stream : {stdout, stderr})
    if (ftrylockfile(stream) == 0) fflush_unlocked(stream);
}

[[noreturn]] void leave(int status) noexcept {
  flush_output();
  _exit(status);
}

void announce(int status) noexcept {
  if (ending.exchange(true)) return;
  if (process* const p = process::get()) p->announce_end(status);
}

}  // namespace

ending_watch::ending_watch(ending_word& word, bool from_afar) : word_(word) {
  const std::chrono::milliseconds sleep =
      from_afar ? std::chrono::milliseconds(100) : std::chrono::hours(24);
  thread_ = sessions::start_quietly([this, sleep] {
    std::uint32_t seen = 0;
    while ((seen = word_.value.load(std::memory_order_acquire)) == 0)
      sync::futex_wait(word_.value, 0, sleep);
    if (seen != ending_word::watched_no_more) leave(static_cast<int>(seen - 1));
  });
}

ending_watch::~ending_watch() {
  std::uint32_t nothing = 0;
  if (word_.value.compare_exchange_strong(nothing, ending_word::watched_no_more))
    sync::futex_wake_all(word_.value);
  thread_.join();
}

void end_job(int status) noexcept {
  announce(status);
  std::exit(status);  // NOLINT(concurrency-mt-unsafe)
}

void fail(const std::string& what) noexcept {
  const process* const p = process::get();
  const std::string who = p == nullptr ? "" : "PE " + std::to_string(p->me) + ": ";
  std::fprintf(stderr, "oriel: %s%s\n", who.c_str(), what.c_str());
  announce(1);
  leave(1);
}

bool is_ending() noexcept {
  return ending.load();
}

}  // namespace oriel::shmem
