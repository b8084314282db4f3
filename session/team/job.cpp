#include "session/team/job.hpp"

#include <sys/stat.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>

#include "session/team/messenger.hpp"
#include "session/team/node_service.hpp"

namespace oriel::sessions {

job::job(const description& about, node_memory& memory)
    : rank_(about.rank),
      where_(about.where),
      node_(where_.node_of(rank_)),
      id_(about.id),
      memory_(&memory),
      oversubscribed_(about.together > get_nprocs()),
      oversubscribed_with_agents_(2 * about.together > get_nprocs()),
      patience_(about.patience),
      deaths_(ranks_on_node()) {}

bool job::alive(int r) const noexcept {
  return (others_ == nullptr || others_->alive(r)) && (!on_my_node(r) || is_here(r));
}

bool job::look(int r) noexcept {
  if (alive(r)) return true;
  if (on_my_node(r)) deaths_.note(node_rank_of(r));
  // Its links may be held open by a child that it has left behind; its lock is not.
  if (others_ != nullptr && fate_of(r) == fate::ended) others_->report(r, fate::ended);
  return false;
}

fate job::fate_of(int r) const noexcept {
  const fate known = others_ == nullptr ? fate::here : others_->known().of(r);
  if (known != fate::here || !on_my_node(r) || is_here(r)) return known;
  return memory_->member(node_rank_of(r)).left.load() != 0 ? fate::left : fate::ended;
}

std::string job::fate_in_words(int r) const {
  return in_words(fate_of(r), silence());
}

std::string job::estrangement_in_words() const {
  return "have declared this rank failed: it was not reached for " +
         std::to_string(silence().count() / 1000) + " s";
}

bool job::in_smaller_part() const noexcept {
  int here = 0, beyond = 0;
  bool lowest_is_here = true;
  for (int r = 0; r < size(); ++r) {
    const fate f = r == rank_ ? fate::here : fate_of(r);
    const bool out_of_reach = f == fate::silent || f == fate::estranged;
    if (is_gone(f) && !out_of_reach) continue;
    if (here + beyond == 0) lowest_is_here = !out_of_reach;
    ++(out_of_reach ? beyond : here);
  }
  return beyond > here || (beyond == here && !lowest_is_here);
}

sync::request_bell& job::bell(int r) const noexcept {
  return memory_->member(node_rank_of(r)).bell;
}

// Those of this node are looked at once; `counts(fate)` decides about those of others that have
// gone.
template <class Counts>
bool member_watch::any_gone(Counts counts) const noexcept {
  if (job_->estranged()) return true;
  if (!std::all_of(on_node_.begin(), on_node_.end(),
                   [this](int r) { return job_->look(members_->world_rank(r)); }))
    return true;
  if (job_->losses() == 0) return false;
  const std::span<const int> all = members_->world_ranks();
  return std::any_of(all.begin(), all.end(), [&](int r) {
    if (job_->on_my_node(r)) return false;
    const fate f = job_->fate_of(r);
    return is_gone(f) && counts(f);
  });
}

bool member_watch::any_failed() const noexcept {
  return any_gone([](fate) { return true; });
}

bool member_watch::any_failed_amid_call() const noexcept {
  bool any_left = false;
  const bool failed = any_gone([&](fate f) {
    any_left = any_left || f == fate::left;
    return f != fate::left;
  });
  return failed || (any_left && saw_one_leave_long_ago());
}

// As long as a rank may be silent, by this process's looks: one that stood still itself has seen
// nothing meanwhile.
bool member_watch::saw_one_leave_long_ago() const noexcept {
  const std::int64_t now = sync::clock::now().time_since_epoch().count();
  std::int64_t first = 0;
  if (saw_one_leave_.compare_exchange_strong(first, now, std::memory_order_relaxed)) return false;
  return sync::clock::duration(now - first) > job_->silence();
}

bool job_watch::needs_progress() const noexcept {
  const messenger* const messages = job_->messages();
  return messages != nullptr && !messages->progresses_by_itself();
}

bool job_watch::serves_nodes() const noexcept {
  const node_service* const server = job_->server();
  return job_->messages() != nullptr || (server != nullptr && server->serves_soon());
}

void job_watch::progress() const noexcept {
  if (messenger* const messages = job_->messages()) messages->progress();
  if (node_service* const server = job_->server()) server->serve_rung();
}

void job_watch::progress_asleep() const noexcept {
  if (messenger* const messages = job_->messages()) messages->progress_asleep();
  if (node_service* const server = job_->server()) server->serve_rung();
}

std::string kernel_identity() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string id;
  file >> id;
  return id;
}

namespace {

// What identifies a namespace of this process, "net" say; empty where that is not known.
std::string name_of_space(const char* space) {
  struct stat about {};
  if (stat(("/proc/self/ns/" + std::string(space)).c_str(), &about) != 0) return "";
  return "/" + std::to_string(about.st_ino);
}

}  // namespace

std::string network_identity() {
  return kernel_identity() + name_of_space("net");
}

std::string node_identity(const std::optional<std::string>& overridden) {
  if (overridden) return *overridden;
  // Another pid namespace has no access to this one's descriptors, another network namespace is a
  // host of its own to everything that addresses hosts.
  return network_identity() + name_of_space("pid") + "/" + std::to_string(getuid());
}

}  // namespace oriel::sessions
