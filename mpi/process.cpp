#include "mpi/process.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "mpi/failures.hpp"
#include "mpi/guarded.hpp"
#include "mpi/host.hpp"
#include "mpi/mpi_window.hpp"
#include "mpi/order.hpp"
#include "mpi/requests.hpp"
#include "mpi/serve_in_host.hpp"
#include "mpi/types.hpp"
#include "mpi/window_table.hpp"
#include "session/team/team_state.hpp"
#include "win/check/access_traps.hpp"

namespace oriel::mpi {
namespace {

std::atomic<process*> the_process{nullptr};

bool switched(const char* variable, const char* to) noexcept {
  const char* const value = std::getenv(variable);
  return value != nullptr && std::strcmp(value, to) == 0;
}

session::allgather_function allgather_over(MPI_Comm comm) {
  return [comm](const void* mine, std::size_t bytes, void* all) {
    const int n = static_cast<int>(bytes);
    return status(ORIEL_HOST(Allgather)(mine, n, MPI_BYTE, all, n, MPI_BYTE, comm) == MPI_SUCCESS
                      ? errc::success
                      : errc::peer_failed);
  };
}

thread_level threads_of_host() noexcept {
  int provided = MPI_THREAD_SINGLE;
  PMPI_Query_thread(&provided);
  return provided == MPI_THREAD_MULTIPLE     ? thread_level::multiple
         : provided == MPI_THREAD_SERIALIZED ? thread_level::serialized
                                             : thread_level::single;
}

session_options options_over(MPI_Comm everyone) {
  session_options options;
  options.threads = threads_of_host();
  bootstrap_callbacks callbacks;
  PMPI_Comm_rank(everyone, &callbacks.rank);
  PMPI_Comm_size(everyone, &callbacks.size);
  callbacks.allgather = allgather_over(everyone);
  options.bootstrap = callbacks;
  return options;
}

// ORIEL_CHECK.
void check_messages_of(const session& job) {
  const team world = job.world();
  detail::session_state& state = world.state()->session();
  if (!state.check()) return;
  order_of_messages.store(&state.extension<sessions::vector_clock>());
  memory_of_windows.store(&state.extension<win::watched_memory>());
  told_by_messages.store(&state.extension<sessions::last_told>());
  order_threads();
  if (win::guarded_memory* const guard = guard_of(world)) win::access_traps::begin(state, *guard);
}

void check_messages_no_more() noexcept {
  order_threads_no_more();
  order_of_messages.store(nullptr);
  memory_of_windows.store(nullptr);
  told_by_messages.store(nullptr);
}

// No message is ever sent here.
MPI_Comm listening = MPI_COMM_NULL;

}  // namespace

// Any call of the host that looks for messages makes its progress.
void make_host_progress() noexcept {
  int found = 0;
  ORIEL_HOST(Iprobe)(MPI_ANY_SOURCE, 0, listening, &found, MPI_STATUS_IGNORE);
}

host_progress::host_progress() noexcept : sync::working_while_waiting(make_host_progress) {}

process* process::get() noexcept {
  return the_process.load(std::memory_order_acquire);
}

process::process(MPI_Comm everyone, const session_options& options)
    : job(options),
      one_thread(options.threads != thread_level::multiple),
      explains(switched("ORIEL_EXPLAIN", "1")),
      everyone_(everyone) {
  PMPI_Comm_group(everyone_, &world_);
  PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, drop_team, &team_key_, nullptr);
  const team world = job.world();
  const detail::team_state& all = *world.state();
  if (const std::uint64_t seed = all.session().adversary(); seed != 0)
    lateness_ = std::make_unique<sessions::adversary_choices>(seed, all.me(), all.id());
}

sessions::adversary_choices* process::lateness() noexcept {
  const process* const p = get();
  return p == nullptr ? nullptr : p->lateness_.get();
}

// After MPI_Finalize began there is nothing left to drop.
int process::drop_team(MPI_Comm, int, void* kept, void*) noexcept {
  process* const p = get();
  if (p == nullptr) return MPI_SUCCESS;
  const std::lock_guard hold(p->teams_mutex_);
  std::erase_if(p->teams_, [kept](const std::unique_ptr<team>& t) { return t.get() == kept; });
  return MPI_SUCCESS;
}

bool is_switched_off() noexcept {
  return switched("ORIEL_MPI", "off");
}

process::~process() {
  windows.clear();
  PMPI_Comm_free_keyval(&team_key_);
  PMPI_Group_free(&world_);
}

// ORIEL_CHECK=pages: guarded memory traps where instructions access it, and fails system calls. So
// messages on the node are to be copied by instructions.
void process::prepare_host() noexcept {
  const char* const check = std::getenv("ORIEL_CHECK");
  if (check == nullptr || std::strstr(check, "pages") == nullptr || is_switched_off()) return;
  constexpr int unless_set = 0;
#ifdef OPEN_MPI
  setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", unless_set);  // of Open MPI 4
  setenv("OMPI_MCA_smsc", "^cma", unless_set);                             // of later ones
#endif
  setenv("UCX_ZCOPY_THRESH", "inf", unless_set);
  setenv("UCX_RNDV_THRESH", "inf", unless_set);
}

void process::open() noexcept {
  if (is_switched_off()) return;
  MPI_Comm everyone = MPI_COMM_NULL;
  if (ORIEL_HOST(Comm_dup)(MPI_COMM_WORLD, &everyone) != MPI_SUCCESS) return;
  PMPI_Comm_set_errhandler(everyone, MPI_ERRORS_RETURN);
  listening = everyone;
  try {
    auto opened = std::unique_ptr<process>(new process(everyone, options_over(everyone)));
    try {
      check_messages_of(opened->job);
    } catch (...) {
      check_messages_no_more();
      throw;
    }
    the_process.store(opened.release(), std::memory_order_release);
  } catch (const std::exception& e) {
    int me = 0;
    PMPI_Comm_rank(everyone, &me);
    if (me == 0)
      std::fprintf(stderr, "oriel: windows are left to the MPI library, since %s\n", e.what());
    PMPI_Comm_free(&everyone);
    listening = MPI_COMM_NULL;
  }
}

void process::close() noexcept {
  process* const p = the_process.exchange(nullptr);
  if (p == nullptr) return;
  check_messages_no_more();
  finish_requests();
  close_types();
  MPI_Comm everyone = p->everyone_;
  delete p;
  leave_host();
  PMPI_Comm_free(&everyone);
  listening = MPI_COMM_NULL;
}

std::optional<team> process::known_team(MPI_Comm comm) const {
  void* kept = nullptr;
  int found = 0;
  PMPI_Comm_get_attr(comm, team_key_, &kept, &found);
  return found != 0 ? std::optional(*static_cast<team*>(kept)) : std::nullopt;
}

std::optional<team> process::team_of(MPI_Comm comm) {
  if (auto known = known_team(comm)) return known;
  int is_inter = 0, n = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) return std::nullopt;
  PMPI_Comm_size(comm, &n);
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(comm, &group);
  std::vector<int> here(static_cast<std::size_t>(n)), there(static_cast<std::size_t>(n));
  for (int i = 0; i < n; ++i) here[static_cast<std::size_t>(i)] = i;
  PMPI_Group_translate_ranks(group, n, here.data(), world_, there.data());
  PMPI_Group_free(&group);
  std::vector<rank> members;
  for (const int r : there) {
    if (r == MPI_UNDEFINED) return std::nullopt;
    members.emplace_back(r);
  }
  auto made = std::make_unique<team>(job.team_of(members, allgather_over(comm)));
  const team result = *made;
  PMPI_Comm_set_attr(comm, team_key_, made.get());
  const std::lock_guard hold(teams_mutex_);
  teams_.push_back(std::move(made));
  return result;
}

}  // namespace oriel::mpi
