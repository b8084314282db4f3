// The seam beside what it stands for, whose instructions codegen_seam.cmake compares.
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <ctime>
#include <type_traits>

#include "sync/process_own.hpp"
#include "sync/system.cpp"  // NOLINT: what is not inline, too
#include "sync/system.hpp"

using namespace oriel;

static_assert(std::is_same_v<sync::clock, std::chrono::steady_clock>);
static_assert(std::is_same_v<sync::thread, std::thread>);
static_assert(std::is_same_v<sync::mutex, std::mutex>);
static_assert(std::is_same_v<sync::shared_mutex, std::shared_mutex>);
static_assert(std::is_same_v<sync::condition_variable, std::condition_variable>);

static_assert(sizeof(sync::process_own<std::atomic<int>>) == sizeof(std::atomic<int>));
static_assert(std::is_trivially_destructible_v<sync::process_own<std::mutex>>);

extern "C" {

int seam_count(sync::process_own<std::atomic<int>>& n) {
  return n->fetch_add(1);
}
int plain_count(std::atomic<int>& n) {
  return n.fetch_add(1);
}

long seam_now() {
  return sync::clock::now().time_since_epoch().count();
}
long plain_now() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

void seam_relax() {
  sync::cpu_relax();
}
void plain_relax() {
  __builtin_ia32_pause();
}

bool seam_is_it(const std::thread::id& id) {
  return sync::id_of_this_thread() == id;
}
bool plain_is_it(const std::thread::id& id) {
  return std::this_thread::get_id() == id;
}

void seam_unlock(sync::mutex& m) {
  m.unlock();
}
void plain_unlock(std::mutex& m) {
  m.unlock();
}

void seam_sleep(std::chrono::nanoseconds time) {
  sync::sleep_for(time);
}
void plain_sleep(std::chrono::nanoseconds time) {
  std::this_thread::sleep_for(time);
}

[[gnu::flatten]] void seam_yield() noexcept {
  sync::yield();
}
void plain_yield() noexcept {
  sched_yield();
}

[[gnu::flatten]] void seam_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                                std::chrono::nanoseconds at_most) noexcept {
  sync::futex_wait(word, expected, at_most);
}
void plain_wait(std::atomic<std::uint32_t>& word, std::uint32_t expected,
                std::chrono::nanoseconds at_most) noexcept {
  constexpr long second = 1'000'000'000;
  const timespec limit{at_most.count() / second, at_most.count() % second};
  syscall(SYS_futex, &word, FUTEX_WAIT, expected, &limit, nullptr, 0);
}

[[gnu::flatten]] void seam_wake(std::atomic<std::uint32_t>& word) noexcept {
  sync::futex_wake_all(word);
}
void plain_wake(std::atomic<std::uint32_t>& word) noexcept {
  syscall(SYS_futex, &word, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}
}
