#include "win/construct/ask.hpp"

#include <unistd.h>

#include <algorithm>
#include <limits>

#include "session/aggregate_hint.hpp"
#include "session/alignment_hint.hpp"
#include "session/utf8_text.hpp"
#include "sync/process_barrier.hpp"
#include "transport/fabric.hpp"
#include "win/adversary/adversary.hpp"
#include "win/construct/left_out.hpp"
#include "win/window_core.hpp"

namespace oriel::win {
namespace {

constexpr assertion_set known = [] {
  assertion_set all;
  for (const assertion a : all_assertions) all = all | a;
  return all;
}();

bool flag(const info& hints, const char* key) {
  const auto text = hints.get(key);
  if (!text || *text == "false") return false;
  if (*text == "true") return true;
  throw error(errc::info, std::string(key) + " is '" + *text + "'; valid: true, false");
}

void check_arguments(const construction& c) {
  if (c.promised == at_run_time || !known.contains(c.promised))
    throw error(errc::arg, "the assertion set has bits that name no assertion: " +
                               std::to_string(c.promised.without(known).bits));
  if ((c.options->ops.bits & ~any_op.bits) != 0)
    throw error(errc::arg, "the set of operations has bits that name no operation: " +
                               std::to_string(c.options->ops.bits & ~any_op.bits));
  if (c.base.extent() <= 0)
    throw error(errc::type, "the base datatype " + c.base.describe() + " has extent " +
                                std::to_string(c.base.extent()) + "; valid: more than 0 bytes");
  const auto extent = static_cast<std::uint64_t>(c.base.extent());
  if (c.count > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) / extent)
    throw error(errc::size, std::to_string(c.count) + " elements of " + std::to_string(extent) +
                                " bytes exceed any memory");
  if (c.how == flavor::create && c.count != 0 && c.memory == nullptr)
    throw error(errc::base,
                "create was given no memory for " + std::to_string(c.count) + " elements");
  const auto address = reinterpret_cast<std::uintptr_t>(c.memory);
  if (c.base.predefined() && address % align_of(c.base.base()) != 0)
    throw error(errc::base, "the memory given to create is not aligned for " + c.base.describe());
  if (c.options->notify_counters > 1u << 16)
    throw error(errc::arg, std::to_string(c.options->notify_counters) +
                               " notification counters; valid: at most 65536");
}

// What other processes, kernels and the fabric can do with memory of a device kind.
void describe_device(const own_memory& m, detail::session_state& s, construction_request& r) {
  r.pinned = m.pinned();
  if (m.runtime == nullptr) return;
  r.vendor = m.runtime->whose();
  if (m.where != place::device_memory) return;
  r.openable = m.openable;
  r.device_atomics = m.runtime->lacks_atomics(m.device).empty();
  r.registered = s.job().nodes() > 1 && transport::fabric_of(s.job()).registers(r.vendor).empty();
}

}  // namespace

question ask(const construction& c, detail::team_state& group) noexcept {
  question q;
  construction_request& r = q.request;
  sessions::keep_text(r.name, c.options->name);
  sessions::make_utf8({r.name.data(), r.window().size()});
  r.assertions = c.promised.bits;
  r.ops = c.options->ops.bits;
  r.how = c.how;
  // Under the checks ranks of other nodes ask this one in epochs of any kind.
  r.asynchronous = c.options->asynchronous_progress || group.session().check();
  r.notify_counters = static_cast<std::uint32_t>(c.options->notify_counters);
  r.count = c.count;
  r.process_barriers = detail::may_be_long(c.promised) && sync::join_process_barriers();
  sessions::attempt(r.arguments, [&] {
    // Its members set themselves; two kilobytes of zeros before that take time.
    q.core = std::make_unique_for_overwrite<detail::window_core>();
    check_arguments(c);
    r.able = known.without(read_left_out().assertions).bits;
    r.extent = static_cast<std::uint64_t>(c.base.extent());
    r.base_hash = c.base.hash();
    r.base = c.base.base();
    r.alignment = sessions::alignment_hint(c.options->hints, 1);
    q.core->agreed.aggregate = c.options->aggregate || sessions::aggregates(c.options->hints);
    q.core->agreed.counted = counts_elements() ? counting::by_thread : counting::off;
    static_cast<void>(may_hold_back(c.options->hints));
    r.noncontiguous = flag(c.options->hints, "alloc_shared_noncontig");
    detail::session_state& session = group.session();
    q.mine = find_out(c, session, group.node_rank(group.me()));
    r.where = q.mine.where;
    describe_device(q.mine, session, r);
    r.offset = q.mine.offset;
    r.address = reinterpret_cast<std::uintptr_t>(c.memory);
    // Something to try the kernel's permission on, where there is no memory yet.
    if (r.address == 0) r.address = reinterpret_cast<std::uintptr_t>(environ);
  });
  return q;
}

}  // namespace oriel::win
