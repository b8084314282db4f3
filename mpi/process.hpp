// What this process holds for as long as MPI is initialized: the session that its windows are made
// in. MPI itself is a state of the whole process, so this is too.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "oriel/session.hpp"
#include "session/adversary_choices.hpp"
#include "sync/wait.hpp"

namespace oriel::mpi {

// ORIEL_MPI=off: the face is to change nothing.
bool is_switched_off() noexcept;

class process {
 public:
  // Null where windows are left to the host: before MPI_Init, after MPI_Finalize, with
  // ORIEL_MPI=off, and where the session could not be opened.
  [[nodiscard]] static process* get() noexcept;
  // Before the host's MPI_Init.
  static void prepare_host() noexcept;
  // Collective over MPI_COMM_WORLD, after the host's MPI_Init and before its MPI_Finalize. Rank 0
  // prints to standard error why a session could not be opened.
  static void open() noexcept;
  static void close() noexcept;
  // ORIEL_ADVERSARY: of the host's own collectives; null without it.
  [[nodiscard]] static sessions::adversary_choices* lateness() noexcept;

  process(const process&) = delete;
  process& operator=(const process&) = delete;
  ~process();

  // The team of a communicator, kept as its attribute; nothing where some of its processes are not
  // in this job's MPI_COMM_WORLD (spawned or connected ones) and for intercommunicators.
  // Collective over the communicator the first time. Throws as session::team_of.
  [[nodiscard]] std::optional<team> team_of(MPI_Comm);
  // Local: nothing where there is none yet.
  [[nodiscard]] std::optional<team> known_team(MPI_Comm) const;

  session job;
  // Never two threads in MPI at once: what only they would need costs nothing then.
  const bool one_thread;
  const bool explains;  // ORIEL_EXPLAIN=1: prints of every window who serves it, and why

 private:
  process(MPI_Comm everyone, const session_options&);
  MPI_Comm everyone_;
  MPI_Group world_ = MPI_GROUP_NULL;
  int team_key_ = MPI_KEYVAL_INVALID;
  static int drop_team(MPI_Comm, int key, void* kept, void* unused) noexcept;
  std::unique_ptr<sessions::adversary_choices> lateness_;
  std::mutex teams_mutex_;
  std::vector<std::unique_ptr<team>> teams_;  // the communicators' attributes point to them
};

// One look by the host for what it has to do. Requires: process::get() is not null.
void make_host_progress() noexcept;

// For as long as it lives, waiting in oriel makes the host's progress too: a rank that has sent a
// message by the host may be what the one that is waited for is waiting for.
class host_progress : public sync::working_while_waiting {
 public:
  host_progress() noexcept;
};

}  // namespace oriel::mpi
