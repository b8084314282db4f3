#include "win/construct/try_devices.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "session/device_hint.hpp"
#include "sync/system.hpp"
#include "win/construct/reserve.hpp"

namespace oriel::win {
namespace {

// What a rank shows the others of its node.
struct exposure {
  errc code = errc::success;
  kinds::ipc_ticket ticket;
};

// Memory that ranks may still have open, because they did not meet after a death: it is freed with
// the session.
class left_open {
 public:
  explicit left_open(detail::session_state&) {}
  void keep(std::unique_ptr<device_window> memory) noexcept try {
    const std::lock_guard hold(threads_);
    kept_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    static_cast<void>(memory.release());  // with the process, then
  }

 private:
  sync::mutex threads_;
  std::vector<std::unique_ptr<device_window>> kept_;
};

// What the trials of all ranks have come to.
struct trial {
  std::uint8_t closed = 0;    // some memory could not be opened by a rank of its node
  std::uint8_t unlinked = 0;  // or kernels of one are not atomic with others on it

  static void merge(void* into, const void* from) noexcept {
    trial other;
    std::memcpy(&other, from, sizeof other);
    static_cast<trial*>(into)->closed |= other.closed;
    static_cast<trial*>(into)->unlinked |= other.unlinked;
  }
};

// The first rank of this node that exposes a device's memory; -1 when none does.
int first_on_device(const detail::team_state& group, const agreement& agreed) {
  const auto& node = group.node_members();
  const auto found = std::find_if(node.begin(), node.end(), [&](int r) {
    return agreed.request(group, r).where == place::device_memory;
  });
  return found == node.end() ? -1 : *found;
}

void make(detail::team_state& group, const construction& asked, const own_memory& mine,
          const agreement& agreed, tried_devices& made, kinds::ipc_ticket& ticket) {
  const int node_rank = group.node_rank(group.me());
  const int other = first_on_device(group, agreed);
  if (!mine.of_a_device() && other < 0) return;
  kinds::device_runtime* runtime = mine.runtime;
  int device = mine.device;
  if (!mine.of_a_device()) {
    const kinds::vendor whose = agreed.request(group, other).vendor;
    runtime = kinds::runtime(whose);
    if (runtime == nullptr)
      throw error(errc::unsupported_kind, "it cannot reach the memory of rank " +
                                              std::to_string(other) + ": " +
                                              kinds::why_absent(whose));
    device = sessions::device_hint(asked.options->hints, *runtime, node_rank);
  }
  made.memory = std::make_unique<device_window>(*runtime, device, group.node_members().size());
  if (!mine.of_a_device()) return;
  auto* memory = static_cast<std::byte*>(asked.memory);
  if (asked.how == flavor::allocate)
    memory = made.allocated = made.memory->allocate(
        node_rank, mine.residence, asked.count * static_cast<std::uint64_t>(asked.base.extent()));
  else if (mine.where == place::device_memory)
    made.memory->adopt(node_rank, memory);
  if (mine.where != place::device_memory) return;
  if (!mine.openable)
    made.memory->stays_closed(node_rank, mine.why_closed);
  else
    ticket = asked.how == flavor::allocate ? runtime->export_memory(memory) : mine.ticket;
}

// What a process exposes may be gone while it gives back its memory, before the kernel tells of its
// end. The construction has failed in any case.
bool lives_on(sessions::job& job, int world_rank) {
  constexpr std::chrono::seconds longest_end{2};
  const auto until = sync::clock::now() + longest_end;
  while (job.look(world_rank)) {
    if (sync::clock::now() > until) return true;
    sync::sleep_for(std::chrono::milliseconds(1));
  }
  return false;
}

// The runtime's own refusals alone: the owner serves then.
void open_one(detail::team_state& group, int r, const kinds::ipc_ticket& ticket,
              device_window& memory, trial& found) {
  try {
    const int there = group.node_rank(r);
    memory.open(there, ticket);
    if (!memory.why_unlinked(static_cast<std::size_t>(there)).empty()) found.unlinked = 1;
  } catch (const error& e) {
    if (!lives_on(group.session().job(), group.world_rank(r)))
      throw error(errc::peer_failed, "the device memory of rank " + std::to_string(r) + ", " +
                                         group.fate_in_words(r) + ", cannot be opened");
    if (e.code() != errc::rma_shared) throw;
    memory.stays_closed(group.node_rank(r), e.what());
    found.closed = 1;
  }
}

// Where a rank of the node could not expose its memory, none opens anything.
void open_others(detail::team_state& group, const agreement& agreed,
                 const std::vector<exposure>& node, tried_devices& made, trial& found) {
  const bool exposed = std::all_of(node.begin(), node.end(),
                                   [](const exposure& e) { return e.code == errc::success; });
  if (!exposed) return;
  for (const int r : group.node_members()) {
    const construction_request& q = agreed.request(group, r);
    if (r == group.me() || q.where != place::device_memory || !q.openable) continue;
    open_one(group, r, node[static_cast<std::size_t>(group.node_rank(r))].ticket, *made.memory,
             found);
  }
}

}  // namespace

tried_devices::~tried_devices() {
  close();
  if (meets_ && group_->barrier(call_) != errc::success && allocated != nullptr)
    group_->session().extension<left_open>().keep(std::move(memory));
}

tried_devices try_devices(detail::team_state& group, const construction& asked,
                          const own_memory& mine, std::uint64_t id, agreement& agreed) {
  const sessions::collective_call call = construction_call(asked.how);
  tried_devices made(group, call);
  if (!agreed.facts.any_device && !agreed.facts.any_managed) return made;
  exposure own;
  sessions::attempt(made.how, [&] { make(group, asked, mine, agreed, made, own.ticket); });
  if (!agreed.facts.any_device || !agreed.facts.neighbours) return made;
  std::vector<exposure> node;
  sessions::attempt(made.how, [&] { node.resize(group.node_members().size()); });
  own.code = made.how.code;
  made.expose();
  errc e = group.node_allgather(call, &own, sizeof own, node.empty() ? nullptr : node.data());
  if (e != errc::success) cannot_construct(group, asked.options->name, e);
  trial found;
  sessions::attempt(made.how, [&] { open_others(group, agreed, node, made, found); });
  e = group.combine(call, found, trial::merge);
  if (e != errc::success) {
    made.close();
    salvage_blocks(group, id, e);
    cannot_construct(group, asked.options->name, e);
  }
  if (found.closed != 0 || found.unlinked != 0) {
    agreed.facts.any_closed = agreed.facts.any_closed || found.closed != 0;
    agreed.facts.any_unlinked = found.unlinked != 0;
    agreed.plan = plan_window(asked.promised, agreed.facts);
  }
  return made;
}

}  // namespace oriel::win
