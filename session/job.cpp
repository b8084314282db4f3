#include "session/job.hpp"

#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "session/mesh.hpp"

namespace oriel::boot {

job::job(int rank, std::vector<job_member> members, node_memory& memory,
         std::optional<std::chrono::milliseconds> patience)
    : rank_(rank), members_(std::move(members)), memory_(&memory), patience_(patience) {
  ranks_on_node_ = 0;
  int together = 0;
  for (int r = 0; r < size(); ++r) {
    together += member(r).same_kernel ? 1 : 0;
    ranks_on_node_ += on_my_node(r) ? 1 : 0;
    nodes_ = std::max(nodes_, node_of(r) + 1);
  }
  oversubscribed_ = together > get_nprocs();
}

bool job::alive(int r) const noexcept {
  if (on_my_node(r)) return memory_->alive(member(r).on_node);
  return others_ == nullptr || others_->alive(r);
}

bool job::look(int r) noexcept {
  const bool near = on_my_node(r);
  if (near ? alive(r) : others_ == nullptr || others_->look(r)) return near || alive(r);
  const bool in_order = near && memory_->member(member(r).on_node).left.load() != 0;
  if (others_ != nullptr && !in_order && others_->note_dead(r))
    if (mesh* const to_all = way()) to_all->announce(r);
  return false;
}

wait_word& job::doorbell(int r) const noexcept {
  return memory_->member(member(r).on_node).doorbell;
}

member_watch::member_watch(job& whole, std::vector<int> world_ranks) : job_watch(whole) {
  for (const int r : world_ranks) (whole.on_my_node(r) ? near_ : far_).push_back(r);
  // Everyone starts at another place, so that all are looked at by some.
  std::sort(far_.begin(), far_.end());
  std::rotate(far_.begin(), std::upper_bound(far_.begin(), far_.end(), whole.rank()), far_.end());
}

// All ranks of this node and all that is known of others; of the others the next few after this
// rank are looked at, in turn: connections that stay, and not more in a larger team. Who notices a
// death tells all.
bool member_watch::any_failed() const noexcept {
  constexpr std::size_t looks = 8;
  // The rest is for ranks that are waited for by name.
  constexpr std::size_t looked_at = liveness::most_watched * 3 / 4;
  if (!std::all_of(near_.begin(), near_.end(), [this](int r) { return job_->look(r); }))
    return true;
  const std::size_t first = next_look_.fetch_add(looks, std::memory_order_relaxed);
  const std::size_t mine = std::min(looked_at, far_.size());
  for (std::size_t i = 0; i < std::min(looks, mine); ++i) job_->look(far_[(first + i) % mine]);
  return !std::all_of(far_.begin(), far_.end(), [this](int r) { return job_->alive(r); });
}

bool job_watch::needs_progress() const noexcept {
  const mesh* const way = job_->way();
  return way != nullptr && !way->progresses_by_itself();
}

void job_watch::progress() const noexcept {
  if (mesh* const way = job_->way()) way->progress();
}

std::string kernel_identity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

std::string node_identity(const std::optional<std::string>& overridden) {
  if (overridden) return *overridden;
  std::string id = kernel_identity();
  // Another pid namespace has no way to this one's descriptors, another network namespace is a host
  // of its own to everything that addresses hosts.
  for (const char* space : {"/proc/self/ns/pid", "/proc/self/ns/net"}) {
    struct stat about {};
    if (stat(space, &about) == 0) id += "/" + std::to_string(about.st_ino);
  }
  return id + "/" + std::to_string(getuid());
}

}  // namespace oriel::boot
