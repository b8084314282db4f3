#include "session/job.hpp"

#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

namespace oriel::boot {

job::job(int rank, std::vector<job_member> members, node_memory& memory)
    : rank_(rank), members_(std::move(members)), memory_(&memory) {
  ranks_on_node_ = 0;
  for (int r = 0; r < size(); ++r) {
    ranks_on_node_ += on_my_node(r) ? 1 : 0;
    nodes_ = std::max(nodes_, node_of(r) + 1);
  }
  oversubscribed_ = ranks_on_node_ > get_nprocs();
}

bool job::alive(int r) const noexcept {
  return !on_my_node(r) || memory_->alive(member(r).on_node);
}

wait_word& job::doorbell(int r) const noexcept {
  return memory_->member(member(r).on_node).doorbell;
}

bool member_watch::any_failed() const noexcept {
  return std::any_of(ranks_.begin(), ranks_.end(), [this](int r) { return !job_->alive(r); });
}

std::string node_identity(const std::optional<std::string>& overridden) {
  if (overridden) return *overridden;
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  // Another pid namespace has no way to this one's descriptors, another network namespace is a host
  // of its own to everything that addresses hosts.
  for (const char* space : {"/proc/self/ns/pid", "/proc/self/ns/net"}) {
    struct stat about {};
    if (stat(space, &about) == 0) id += "/" + std::to_string(about.st_ino);
  }
  return id + "/" + std::to_string(getuid());
}

}  // namespace oriel::boot
