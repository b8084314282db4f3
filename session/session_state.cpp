#include "session/session_state.hpp"

#include <sys/prctl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "kinds/negotiate.hpp"
#include "session/bootstrap/known_variables.hpp"
#include "session/bootstrap/together.hpp"
#include "session/crash_signals.hpp"
#include "session/node/network_interface.hpp"
#include "session/team/collectives.hpp"
#include "session/team/placement.hpp"
#include "session/team/team_state.hpp"
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

// Who is where, by what each rank announces of its node.
struct whereabouts {
  std::vector<int> node_of;  // by rank
  int nodes = 0;
  int leader = -1;  // of this rank's node, the lowest of its ranks
  int node_rank = 0, here = 0;
  int together = 0;  // ranks of the same kernel
};

whereabouts find_ranks(sessions::bootstrap& launcher, const std::string& identity) {
  // The kernel's comes first: it has a fixed length.
  const std::string kernel = sessions::kernel_identity();
  const std::vector<std::string> identities = launcher.allgather(kernel + identity);
  const std::string& mine = identities[static_cast<std::size_t>(launcher.rank())];
  std::unordered_map<std::string_view, int> numbers;
  whereabouts all;
  for (const std::string& theirs : identities) {
    const auto r = static_cast<int>(all.node_of.size());
    const auto number = numbers.try_emplace(theirs, static_cast<int>(numbers.size())).first;
    all.node_of.push_back(number->second);
    all.together += theirs.starts_with(kernel) ? 1 : 0;
    if (theirs != mine) continue;
    if (all.leader < 0) all.leader = r;
    if (r == launcher.rank()) all.node_rank = all.here;
    ++all.here;
  }
  all.nodes = static_cast<int>(numbers.size());
  return all;
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
  auto interfaces = open_node(sessions::node_identity(description_.node_id));
  if (job_->nodes() > 1) open_other_nodes(std::move(interfaces));
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

// What all ranks tell is not kept beyond each exchange: as many texts as there are ranks.
std::vector<std::string> session_state::open_node(const std::string& identity) {
  const int me = launcher_->rank();
  whereabouts all = find_ranks(*launcher_, identity);
  const int population = all.here;
  const bool spans_nodes = all.nodes > 1;
  node_rank_ = all.node_rank;
  sessions::job::description about;
  about.rank = me;
  about.together = all.together;
  about.patience = description_.patience;

  const auto make_memory = [&] {
    opening o{getpid(), {}, 0, 0, not_written_};
    if (me == all.leader) {
      memory_ = sessions::node_memory::make(population, node_rank_);
      o.file = memory_->file();
      o.world_block =
          memory_->allocate(team_state::bytes_of_block_of_all(population, launcher_->size()),
                            sessions::node_collectives::alignment);
      if (spans_nodes)
        o.node_block = memory_->allocate(team_state::bytes_of_block(population, population, 1),
                                         sessions::node_collectives::alignment);
    }
    return encode(o);
  };
  opening led;
  {
    const auto openings = sessions::together(*launcher_, "", make_memory);
    std::vector<sessions::output_failures> not_written(openings.size());
    for (std::size_t r = 0; r < openings.size(); ++r) {
      const opening o = decode(openings[r], r);
      not_written[r] = o.not_written;
      if (r == 0) about.id = o.pid;
      if (static_cast<int>(r) == all.leader) led = o;
    }
    for (const std::string& sentence : sessions::sentences_of(not_written, me))
      std::fprintf(stderr, "oriel: %s\n", sentence.c_str());
  }
  auto interfaces = sessions::together(*launcher_, "", [&] {
    if (me != all.leader) memory_ = sessions::node_memory::open(led.pid, led.file, node_rank_);
    memory_->show_job(about.id);
    memory_->member(node_rank_).rank = me;
    memory_->member(node_rank_).pid = getpid();
    std::vector<int> ranks(all.node_of.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    const std::size_t bytes = sessions::placement::bytes(static_cast<int>(ranks.size()), all.nodes);
    about.where = {memory_->table(sessions::node_table::placement, bytes), ranks, all.node_of};
    all.node_of = {};
    return spans_nodes ? sessions::announce_interfaces(sessions::named_interfaces()) : "";
  });
  world_block_ = led.world_block;
  node_block_ = led.node_block;
  job_ = std::make_unique<sessions::job>(about, *memory_);
  return interfaces;
}

void session_state::open_other_nodes(std::vector<std::string> announced) {
  const int me = launcher_->rank();
  auto interfaces = sessions::choose_interfaces(std::exchange(announced, {}), me);
  for (;;) {
    try {
      return connect_by(interfaces);
    } catch (const sessions::agreed_error&) {
      if (interfaces.size() < 2) throw;
      // One that has gone down meanwhile, or on which ranks have not reached each other, is left
      // out.
      const std::uint32_t given_up = others_ == nullptr ? 0 : others_->known().failed_rails();
      job_->disconnect();
      others_.reset();
      auto left = interfaces;
      try {
        const auto states = sessions::together(
            *launcher_, "", [&] { return sessions::announce_interfaces(interfaces, given_up); });
        left = sessions::choose_interfaces(states, me);
      } catch (const error&) {
        // The first one tells more.
      }
      if (left.size() == interfaces.size()) throw;
      interfaces = std::move(left);
    }
  }
}

void session_state::connect_by(const std::vector<std::string>& interfaces) {
  auto watch = sessions::liveness::settings_for(description_);
  watch.interfaces = interfaces;
  others_ = std::make_unique<sessions::liveness>(*launcher_, *memory_, watch);
  job_->connect(*others_);
  sessions::report_given_up(interfaces, others_->known().failed_rails(), launcher_->rank());
  const std::string provided = hints_.get("mpi_memory_alloc_kinds").value_or("");
  messenger_ = sessions::open_messenger(*launcher_, *job_, *memory_, description_, interfaces,
                                        memory_kind_list::parse(provided));
  job_->connect(messenger_.get());
}

}  // namespace oriel::detail
