#include "session/session_state.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <string_view>
#include <unordered_map>

#include "kinds/negotiate.hpp"
#include "session/bootstrap/known_variables.hpp"
#include "session/bootstrap/together.hpp"
#include "session/crash_signals.hpp"
#include "session/node/network_interface.hpp"
#include "session/team/collectives.hpp"
#include "sync/process_own.hpp"

namespace oriel::detail {
namespace {

// A process is in one job, whatever its sessions: the one flag that cannot hang off a session.
constinit sync::process_own<std::atomic<bool>> in_session;

struct entry_claim {
  entry_claim() {
    if (in_session->exchange(true))
      throw error(errc::arg, "this process has a session open already; one at a time");
  }
  ~entry_claim() {
    if (!kept) *in_session = false;
  }
  bool kept = false;
};

// What each rank announces to the others while the node opens.
struct opening {
  pid_t pid = 0;
  sessions::memory_file::identity file;
  std::uint64_t world_block = 0;
  std::uint64_t node_block = 0;
  sessions::output_failures not_written{};
};

std::string encode(const opening& o) {
  return {reinterpret_cast<const char*>(&o), sizeof o};
}

opening decode(const std::string& bytes, std::size_t from) {
  opening o;
  if (bytes.size() != sizeof o)
    throw error(errc::peer_failed, "rank " + std::to_string(from) + " has sent what it should not");
  std::memcpy(&o, bytes.data(), sizeof o);
  return o;
}

}  // namespace

session_state::session_state(const session_options& options)
    : description_(sessions::read_environment()), threads_(options.threads), hints_(options.hints) {
  entry_claim claim;
  const sessions::crash_signals signals;
  if (threads_ != thread_level::multiple) description_.contexts = 1;
  requested_kinds_ = kinds::requested_kinds(description_.memory_alloc_kinds,
                                            options.hints.get("mpi_memory_alloc_kinds"));
  hints_.set("mpi_memory_alloc_kinds", kinds::provided_kinds(requested_kinds_));
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);  // lets peers read by process_vm_readv
  launcher_ = sessions::join_job(description_, options);
  if (launcher_->rank() == 0)
    for (const std::string& sentence : sessions::unknown_variables(environ))
      std::fprintf(stderr, "oriel: %s\n", sentence.c_str());
  const auto interfaces = open_node(sessions::node_identity(description_.node_id));
  if (job_->nodes() > 1) open_other_nodes(interfaces);
  claim.kept = true;
}

session_state::~session_state() {
  extensions_.clear();
  job_->connect(nullptr);
  messenger_.reset();  // before the memory that it may have registered
  if (others_ != nullptr) others_->leave();
  given_.release_all();
  memory_->member(node_rank_).left.store(1, std::memory_order_seq_cst);
  *in_session = false;
}

void session_state::complain(sessions::output what, std::string_view file,
                             std::string_view why) noexcept {
  const auto i = static_cast<unsigned>(what);
  if (not_written_[i] != 0 || !memory_->is_first_to_say(1u << i)) return;
  try {
    std::fprintf(stderr, "oriel: %s\n",
                 sessions::sentence_of(what, job_->rank(), file, why).c_str());
  } catch (const std::bad_alloc&) {
    // Nobody but a reader of the file misses it.
  }
}

std::vector<std::string> session_state::open_node(const std::string& identity) {
  const int me = launcher_->rank();
  // The kernel's comes first: it has a fixed length.
  const std::string kernel = sessions::kernel_identity();
  const auto identities = launcher_->allgather(kernel + identity);
  std::vector<sessions::job_member> members(identities.size());
  std::unordered_map<std::string_view, std::size_t> nodes;  // numbered as their first ranks are
  std::vector<int> leaders, populations;
  for (std::size_t r = 0; r < identities.size(); ++r) {
    const std::size_t n = nodes.try_emplace(identities[r], nodes.size()).first->second;
    if (n == leaders.size()) {
      leaders.push_back(static_cast<int>(r));
      populations.push_back(0);
    }
    members[r].node = static_cast<int>(n);
    members[r].node_rank = populations[n]++;
    members[r].same_kernel = identities[r].starts_with(kernel);
  }
  const auto my_node = static_cast<std::size_t>(members[static_cast<std::size_t>(me)].node);
  const int leader = leaders[my_node];
  const int population = populations[my_node];
  const int node_rank = members[static_cast<std::size_t>(me)].node_rank;

  const auto openings = sessions::together(*launcher_, "", [&] {
    opening mine{getpid(), {}, 0, 0, not_written_};
    if (me == leader) {
      memory_ = sessions::node_memory::make(population, node_rank);
      mine.file = memory_->file();
      mine.world_block = memory_->allocate(sessions::node_collectives::bytes(population),
                                           sessions::node_collectives::alignment);
      if (nodes.size() > 1)
        mine.node_block = memory_->allocate(sessions::node_collectives::bytes(population),
                                            sessions::node_collectives::alignment);
    }
    return encode(mine);
  });
  opening led;
  std::vector<sessions::output_failures> not_written(openings.size());
  for (std::size_t r = 0; r < openings.size(); ++r) {
    const opening o = decode(openings[r], r);
    not_written[r] = o.not_written;
    members[r].pid = o.pid;
    if (static_cast<int>(r) == leader) led = o;
  }
  for (const std::string& sentence : sessions::sentences_of(not_written, me))
    std::fprintf(stderr, "oriel: %s\n", sentence.c_str());
  auto interfaces = sessions::together(*launcher_, "", [&] {
    if (me != leader) memory_ = sessions::node_memory::open(led.pid, led.file, node_rank);
    return nodes.size() > 1 ? sessions::announce_interfaces(sessions::named_interfaces()) : "";
  });
  memory_->member(node_rank).rank = me;
  memory_->member(node_rank).pid = getpid();
  node_rank_ = node_rank;
  world_block_ = led.world_block;
  node_block_ = led.node_block;
  job_ = std::make_unique<sessions::job>(me, std::move(members), *memory_, description_.patience);
  return interfaces;
}

void session_state::open_other_nodes(const std::vector<std::string>& interfaces) {
  auto watch = sessions::liveness::settings_for(description_);
  watch.interfaces = sessions::choose_interfaces(interfaces, launcher_->rank());
  others_ = std::make_unique<sessions::liveness>(*launcher_, watch);
  job_->connect(*others_);
  const std::string provided = hints_.get("mpi_memory_alloc_kinds").value_or("");
  messenger_ = sessions::open_messenger(*launcher_, *job_, description_, watch.interfaces,
                                        memory_kind_list::parse(provided));
  job_->connect(messenger_.get());
}

}  // namespace oriel::detail
