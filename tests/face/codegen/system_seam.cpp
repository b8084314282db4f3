// The seam beside what it stands for, whose instructions codegen_seam.cmake compares.
#include <atomic>
#include <type_traits>

#include "sync/process_own.hpp"
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
}
