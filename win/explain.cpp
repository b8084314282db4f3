#include "win/explain.hpp"

#include <algorithm>
#include <map>

#include "kinds/device_kind.hpp"
#include "win/adversary/adversary.hpp"
#include "win/route/kernel_atomics.hpp"

namespace oriel::win {
namespace {

using detail::window_core;

std::string line(const std::string& what, const std::string& text) {
  std::string padded = "  " + what + ":";
  padded.resize(20, ' ');
  return padded + text + "\n";
}

// "0, 2-5, 9"
std::string ranges(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t j = i;
    while (j + 1 < ranks.size() && ranks[j + 1] == ranks[j] + 1) ++j;
    if (!text.empty()) text += ", ";
    text += std::to_string(ranks[i]);
    if (j > i) text += "-" + std::to_string(ranks[j]);
    i = j + 1;
  }
  return text;
}

std::string routes_in_words(const window_core& core) {
  std::map<std::pair<std::string_view, std::string_view>, std::vector<int>> by_route;
  for (int r = 0; r < core.ranks(); ++r) {
    by_route[{core.routes.to(rank{r}).name, core.routes.because(rank{r})}].push_back(r);
  }
  std::string text;
  for (const auto& [choice, ranks] : by_route) {
    std::string what = std::string(choice.first) + " to rank " + ranges(ranks);
    if (!choice.second.empty()) what += " (" + std::string(choice.second) + ")";
    text += line("route", what);
  }
  return text;
}

// Who does the atomics on memory that is not mapped at the origin, and why it is not.
std::string by_owners(const window_core& core) {
  const bool thread = core.agreed.plan.agent || core.agreed.plan.remote_agent;
  const bool waits = core.agreed.plan.remote && !core.agreed.plan.remote_agent;
  return std::string(thread  ? "the owner's agent applies CPU atomics"
                     : waits ? "the owner applies CPU atomics while it waits (fence, wait, barrier)"
                             : "the owner applies CPU atomics") +
         (thread && waits ? ", for other nodes while it waits" : "") + " (" +
         (core.agreed.plan.remote ? "some ranks are on other nodes"
                                  : "some memory is private or may be attached") +
         ")";
}

// How accumulates of many elements go; empty where the window has none.
std::string long_accumulates(const window_core& core) {
  if (!detail::may_be_long(core.agreed.promised) || core.agreed.plan.device) return "";
  return core.operations.gates
             ? "; many elements at once by plain loops, alone with the target's memory"
             : "; many elements one by one: a rank's kernel refuses membarrier, or devices share "
               "the memory";
}

std::string atomicity(const window_core& core) {
  if (core.operations.arithmetic == atomics::kernel_mode::plain)
    return "cpu, plain arithmetic: only exclusive locks open epochs" +
           (core.agreed.plan.atomics == domain::owner
                ? "; on memory that is not mapped here " + by_owners(core)
                : std::string());
  if (core.agreed.plan.atomics == domain::device) {
    const std::string lacks =
        core.devices.memory == nullptr
            ? ""
            : core.devices.memory->runtime().lacks_atomics(core.devices.memory->device());
    return "device: kernels, of system scope, on device memory" +
           (lacks.empty() ? "" : "; none from this rank: " + lacks);
  }
  const bool multiple = core.group->session().threads() == thread_level::multiple;
  const std::string why_not_plain =
      !detail::exclusive_only(core.agreed.promised) ? ""
      : multiple ? ", since threads of a rank may share an epoch (thread_level::multiple)"
                 : ", since kernels and streams access it in no epoch";
  if (core.agreed.plan.atomics == domain::cpu)
    return "cpu: atomic instructions on mapped memory" + why_not_plain + long_accumulates(core);
  return "owner: " + by_owners(core) + "; mapped memory is reached directly" + why_not_plain +
         long_accumulates(core);
}

std::string locks(const window_core& core) {
  const bool shared = core.agreed.promised.has(assertion::shared_lock);
  const bool exclusive = core.agreed.promised.has(assertion::exclusive_lock);
  if (shared && exclusive) return "a word a rank and one for lock_all";
  if (exclusive) return "a word a rank";
  if (shared) return "none needed: shared locks exclude no rank without assertion::exclusive_lock";
  return "none: no lock was asserted";
}

std::string why_unregistered(const window_core& core) {
  if (core.devices.memory == nullptr) return "this rank has none";
  const std::string& why =
      core.routes.remote->way().registers(core.devices.memory->runtime().whose());
  return why.empty() ? "another rank's provider does not" : why;
}

// Of this rank's memory, by MPI's name; there is no kind where there is no memory.
std::string kind(const window_core& core) {
  if (core.memory.local_count == 0) return "";
  // Once pinned, the node's memory is also a kind's `host`, which is what was requested.
  if (core.devices.pinned != nullptr)
    return ", kind " +
           kinds::kind_text(core.devices.pinned->runtime().whose(), kinds::residence::host);
  return ", kind " + core.group->session().kind_of(core.memory.local);
}

// What drivers have refused, in their words.
std::string closed_memory(const window_core& core) {
  std::string text;
  if (core.devices.memory == nullptr) return text;
  for (const int r : core.group->node_members()) {
    const std::string& why =
        core.devices.memory->why_closed(static_cast<std::size_t>(core.group->node_rank(r)));
    if (why.empty()) continue;
    text += line("not open", r == core.me() ? "this rank's device memory, to any other: " + why
                                            : "that of rank " + std::to_string(r) + ": " + why);
  }
  return text;
}

// Where kernels' atomics go by the host, in the drivers' words.
std::string unlinked_memory(const window_core& core) {
  std::map<std::string, std::vector<int>> by_reason;
  for (int r = 0; r < core.ranks(); ++r)
    if (const std::string why = lacks_kernel_atomics(core, rank{r}); !why.empty())
      by_reason[why].push_back(r);
  std::string text;
  for (const auto& [why, ranks] : by_reason)
    text += line("kernels",
                 "none of their own atomics on memory of rank " + ranges(ranks) + ": " + why);
  return text;
}

// Of either sort: no device was at hand on which to try what HIP's attributes of a pointer tell.
std::string coherence(const window_core& core) {
  const device_window* const devices = core.devices.memory.get();
  if (core.agreed.how != flavor::create || devices == nullptr || !devices->holds_own() ||
      devices->runtime().whose() != kinds::vendor::rocm)
    return "";
  return line("coherence",
              "this rank's memory is the program's: unless hipExtMallocWithFlags made it "
              "fine-grained, kernels that run meanwhile, and atomics of other devices, may not see "
              "what is stored");
}

std::string progress(const window_core& core) {
  std::string text;
  if (core.agreed.plan.agent)
    text += line("progress", "one agent thread per process serves requests to private memory");
  if (core.agreed.plan.remote_agent)
    text += line("progress", "one agent thread per process serves the other nodes");
  else if (core.agreed.plan.remote)
    text += line("progress",
                 "targets serve other nodes while they wait (fence, wait, barrier); no thread");
  if (text.empty()) text = line("progress", "no rank needs to make progress");
  if (core.routes.remote != nullptr) {
    const transport::fabric& way = core.routes.remote->way();
    const int endpoints = way.context_count();
    const std::string interfaces = way.interfaces();
    text += line(
        "fabric",
        way.provider() + (interfaces.empty() ? "" : " over " + interfaces) +
            "; puts are made complete by " + std::string(name(way.how())) +
            (core.agreed.promised.has(assertion::notify)
                 ? "; notifications " + std::string(name(core.routes.remote->way_of_notices()))
                 : "") +
            (endpoints == 1 ? "" : "; threads have " + std::to_string(endpoints) + " endpoints"));
    if (core.agreed.plan.device)
      text += line("registration", core.agreed.plan.registered
                                       ? "the fabric reads and writes device memory"
                                       : "none of device memory: " + why_unregistered(core));
    text += line("keys", core.memory.layout.tickets == 0 ? "agreed: none was exchanged"
                                                         : "one copy of the table a node");
  }
  return text;
}

std::string cost_of_promises(const window_core& core) {
  std::string text;
  const auto note = [&](assertion a, const char* why) {
    if (core.agreed.promised.has(a))
      text += line("costs", "assertion::" + std::string(name(a)) + ": " + why);
  };
  note(assertion::attach, "every access looks its segment up");
  if (core.agreed.promised.has(assertion::shared_lock))
    note(assertion::exclusive_lock,
         "with shared_lock, exclusive locks take two words and accumulates stay atomic");
  if (!core.agreed.promised.has(assertion::remote_load_store) && core.agreed.plan.all_mapped)
    text += line("could",
                 "assertion::remote_load_store would let a static window store without "
                 "testing whether the target is mapped");
  return text;
}

// Whose memory operations on single elements may travel to in packets; empty: nobody's.
std::string reached_by_packets(const window_core& core) {
  const std::span<const int> here = core.group->node_members();
  const packet_streams* const packets = core.routes.packets.get();
  const bool near = packets != nullptr && std::any_of(here.begin(), here.end(), [&](int r) {
                      return r != core.me() && packets->may_travel(rank{r});
                    });
  const bool far = core.routes.remote != nullptr;
  return !near ? far ? "to other nodes" : ""
               : std::string(far ? "to other nodes and " : "") + "to private memory of this node";
}

std::string small_operations(const window_core& core) {
  const std::string where = reached_by_packets(core);
  if (where.empty()) return "";
  const packet_streams& packets = *core.routes.packets;
  const window_statistics so_far = core.counts.read(core);
  std::string text =
      where + (core.agreed.aggregate ? " those on single elements, short runs and small layouts "
                                       "gather in packets"
                                     : " those of lists go in packets; single ones would with "
                                       "window_options::aggregate");
  if (so_far.packets != 0)
    text += "; so far " + std::to_string(so_far.packed) + " in " + std::to_string(so_far.packets) +
            " messages";
  if (packets.shares() != 0)
    text += "; " + std::to_string(packets.shares()) +
            " times operations of this rank went in packets that the ranks of its node share";
  return line("small operations", text);
}

std::string checking(const window_core& core) {
  if (!core.agreed.checked) return "off (ORIEL_CHECK=1 checks bounds, epochs and conflicts)";
  return core.agreed.bare ? "not compiled in: this static window's accesses are bare; build with "
                            "-DORIEL_CHECKED"
                          : "on: bounds, epochs, and conflicts";
}

// Empty where there is none.
std::string opposition(const window_core& core) {
  if (core.adversary == nullptr) return "";
  const std::string_view why = core.adversary->why_at_once();
  return line("adversary",
              "seed " + std::to_string(core.adversary->seed()) + " (ORIEL_ADVERSARY): " +
                  (why.empty() ? "operations are held back as long as the epochs allow, and "
                                 "synchronization is delayed"
                               : "synchronization is delayed; no operation is held back, since " +
                                     std::string(why)));
}

std::string in_huge_pages(const window_core& core) {
  const std::size_t mib = core.memory.local_huge >> 20;
  return mib == 0 ? "" : ", " + std::to_string(mib) + " MiB in huge pages";
}

}  // namespace

std::string explain(const window_core& core) {
  std::string text = "window '" + core.agreed.name + "' on rank " + std::to_string(core.me()) +
                     " of " + std::to_string(core.ranks()) + ", by " +
                     (core.agreed.how == flavor::allocate ? "allocate" : "create") + "\n";
  text += line("base datatype", core.agreed.base.describe());
  text += line("assertions", to_string(core.agreed.promised));
  text += routes_in_words(core);
  text += closed_memory(core);
  text += unlinked_memory(core);
  text += coherence(core);
  text += line("atomics", atomicity(core));
  if (core.agreed.ops != any_op) text += line("op set", to_string(core.agreed.ops));
  text += line("locks", locks(core));
  text += progress(core);
  text += small_operations(core);
  text +=
      line("memory", std::to_string(core.memory.local_count) + " elements here" + kind(core) +
                         (core.agreed.plan.all_mapped ? ", mapped by every rank" : "") +
                         in_huge_pages(core) +
                         (core.memory.why_private.empty()
                              ? ""
                              : ", not moved into the node's memory: " + core.memory.why_private));
  text += line("metadata", std::to_string(core.memory.layout.bytes) + " bytes on this node");
  text += line("checking", checking(core));
  text += opposition(core);
  return text + cost_of_promises(core);
}

}  // namespace oriel::win
