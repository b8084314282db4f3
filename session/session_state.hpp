// What a session holds, shared by everything made in it: the job, the node's memory and the way to
// the other ranks. The job is left when the last holder goes.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <typeindex>

#include "oriel/info.hpp"
#include "oriel/session.hpp"
#include "session/bootstrap/bootstrap.hpp"
#include "session/bootstrap/environment.hpp"
#include "session/bootstrap/output_files.hpp"
#include "session/node/given_memory.hpp"
#include "session/node/node_memory.hpp"
#include "session/team/job.hpp"
#include "session/team/messenger.hpp"
#include "sync/system.hpp"

namespace oriel::detail {

class session_state {
 public:
  // Joins the job. Throws as the constructor of `session` does.
  explicit session_state(const session_options& options);
  ~session_state();
  session_state(const session_state&) = delete;
  session_state& operator=(const session_state&) = delete;

  [[nodiscard]] sessions::job& job() noexcept { return *job_; }
  [[nodiscard]] sessions::node_memory& memory() noexcept { return *memory_; }
  [[nodiscard]] sessions::bootstrap& launcher() noexcept { return *launcher_; }
  [[nodiscard]] const info& hints() const noexcept { return hints_; }
  [[nodiscard]] thread_level threads() const noexcept { return threads_; }
  [[nodiscard]] bool check() const noexcept {
    return description_.check != sessions::checking::off;
  }
  // ORIEL_CHECK=pages: the program's own loads and stores are looked at, too.
  [[nodiscard]] bool check_accesses() const noexcept { return description_.check_accesses; }
  // The seed of ORIEL_ADVERSARY; 0 where it is off.
  [[nodiscard]] std::uint64_t adversary() const noexcept { return description_.adversary; }
  // Says on the standard error why a file cannot be written, unless the job has been told as the
  // session opened, or a rank of this node has said something of its kind before.
  void complain(sessions::output, std::string_view file, std::string_view why) noexcept;
  // Of windows and teams that are checked.
  [[nodiscard]] sessions::findings& found() noexcept { return found_; }
  // The blocks of the collectives of this node's ranks: one for the world, one for the node's team.
  [[nodiscard]] std::uint64_t world_block() const noexcept { return world_block_; }
  [[nodiscard]] std::uint64_t node_block() const noexcept { return node_block_; }

  // As the session's functions of the same names (kinds_of_memory.cpp).
  [[nodiscard]] std::span<std::byte> alloc_mem(std::size_t bytes, const info& hints);
  [[nodiscard]] std::span<std::byte> alloc_mem(std::size_t bytes, std::string_view kind,
                                               const info& hints);
  status free_mem(std::span<std::byte> memory) noexcept;
  [[nodiscard]] std::string kind_of(const void*) const;

  // One T for the session, made with it on first use and destroyed before the job is left: how
  // higher floors keep state per process. Any thread.
  template <class T>
  T& extension() {
    const std::lock_guard hold(extensions_mutex_);
    auto& slot = extensions_[std::type_index(typeid(T))];
    if (slot == nullptr) slot = std::make_shared<T>(*this);
    return *static_cast<T*>(slot.get());
  }

 private:
  // Returns what all ranks have announced of their network interfaces.
  std::vector<std::string> open_node(const std::string& identity);
  // By those that are up on every rank, or are left of them when all are connected.
  void open_other_nodes(std::vector<std::string> announced);
  void connect_by(const std::vector<std::string>& interfaces);

  sessions::job_description description_;
  sessions::findings found_{description_.check};
  thread_level threads_;
  info hints_;
  std::unique_ptr<sessions::bootstrap> launcher_;
  std::unique_ptr<sessions::node_memory> memory_;
  std::unique_ptr<sessions::job> job_;
  std::unique_ptr<sessions::liveness> others_;
  std::unique_ptr<sessions::messenger> messenger_;
  std::uint64_t world_block_ = 0;
  std::uint64_t node_block_ = 0;
  int node_rank_ = 0;  // among the ranks of the node
  std::string requested_kinds_;
  sessions::given_memory given_;
  sessions::output_failures not_written_ = sessions::try_outputs();
  sync::mutex extensions_mutex_;
  std::map<std::type_index, std::shared_ptr<void>> extensions_;
};

}  // namespace oriel::detail
