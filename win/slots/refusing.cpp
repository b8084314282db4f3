// What stands in the table for a feature that was not promised.
#include <array>
#include <string_view>

#include "win/slots/atomic_access.hpp"
#include "win/slots/slots.hpp"
#include "win/words.hpp"

namespace oriel::win {
namespace {

// A function of the slot's own type that refuses.
template <words What, words Needed, class... Rest>
errc refusing(window_core& core, Rest...) noexcept {
  return refuse_unasserted(core, What.text, Needed.text);
}

template <words What, words Needed, class... Rest>
void put_refusal(errc (*&slot)(window_core&, Rest...) noexcept) {
  slot = refusing<What, Needed, Rest...>;
}

}  // namespace

errc refuse_unasserted(window_core& core, std::string_view what, std::string_view needed) noexcept {
  return core.fail(errc::not_asserted, std::string(what) + " needs " + std::string(needed) +
                                           ", which was not asserted (asserted: " +
                                           to_string(core.agreed.promised) + ")");
}

void refuse_what_was_not_promised(operation_table& t, assertion_set promised) {
  if (!promised.has(assertion::multi_element)) {
    put_refusal<"put of several elements", "assertion::multi_element">(t.put_n);
    put_refusal<"get of several elements", "assertion::multi_element">(t.get_n);
    put_refusal<"accumulate of several elements", "assertion::multi_element">(t.accumulate_n);
  }
  if (!promised.has(assertion::user_datatype)) {
    put_refusal<"put with a datatype", "assertion::user_datatype">(t.put_typed);
    put_refusal<"get with a datatype", "assertion::user_datatype">(t.get_typed);
    put_refusal<"accumulate with a datatype", "assertion::user_datatype">(t.accumulate_typed);
    put_refusal<"accumulate of another type", "assertion::user_datatype">(t.accumulate_as);
    put_refusal<"fetch_op of another type", "assertion::user_datatype">(t.fetch_op_as);
    put_refusal<"compare_swap of another type", "assertion::user_datatype">(t.compare_swap_as);
    put_refusal<"compare_swap of another type", "assertion::user_datatype">(
        t.begin_compare_swap_as);
  }
  if (!promised.has(assertion::fence)) put_refusal<"fence", "assertion::fence">(t.fence);
  if (!promised.has(assertion::pscw)) {
    put_refusal<"post", "assertion::pscw">(t.post);
    put_refusal<"start", "assertion::pscw">(t.start);
    put_refusal<"complete", "assertion::pscw">(t.complete);
    put_refusal<"wait", "assertion::pscw">(t.wait);
  }
  if (!promised.has(assertion::shared_lock)) {
    put_refusal<"lock_all", "assertion::shared_lock">(t.lock_all);
    put_refusal<"unlock_all", "assertion::shared_lock">(t.unlock_all);
  }
  if (!promised.has_any(assertion::shared_lock | assertion::exclusive_lock)) {
    put_refusal<"lock", "assertion::shared_lock or assertion::exclusive_lock">(t.lock);
    put_refusal<"unlock", "assertion::shared_lock or assertion::exclusive_lock">(t.unlock);
    put_refusal<"flush", "assertion::shared_lock or assertion::exclusive_lock">(t.flush);
  }
  if (!promised.has(assertion::attach)) {
    put_refusal<"attach", "assertion::attach">(t.attach);
    put_refusal<"detach", "assertion::attach">(t.detach);
  }
  if (!promised.has(assertion::notify)) {
    put_refusal<"put_notify", "assertion::notify">(t.put_notify);
    put_refusal<"put_notify", "assertion::notify">(t.put_notify_typed);
    put_refusal<"wait_notify", "assertion::notify">(t.wait_notify);
    put_refusal<"wait_notify_any", "assertion::notify">(t.wait_notify_any);
    put_refusal<"notified", "assertion::notify">(t.read_notify);
  }
}

void require_promise(window_core& core, assertion_set any, std::string_view what) {
  if (core.agreed.promised.has_any(any)) return;
  std::string needed;
  for (const assertion a : all_assertions)
    if (any.has(a))
      needed += (needed.empty() ? "assertion::" : " or assertion::") + std::string(name(a));
  const errc e = refuse_unasserted(core, what, needed);
  throw error(e, core.failure.last());
}

void assemble(window_core& core) {
  operation_table& table = core.operations.table;
  choose_kernels(core);
  fill_data_slots(table, core);
  fill_atomic_slots(table, core);
  fill_mapped_atomic_slots(table, core);
  fill_as_slots(table, core);
  fill_active_slots(table);
  fill_passive_slots(table);
  fill_list_slot(table, core);
  fill_notify_slots(table);
  fill_attach_slots(table);
  if (core.gathers()) {
    core.operations.ungathered = table;
    fill_gathered_slots(table);
  }
  if (core.devices.stages) {
    core.operations.unstaged = table;
    fill_staged_slots(table);
  }
  refuse_what_was_not_promised(table, core.agreed.promised);
  if (core.agreed.watched) core.operations.unwatched = table;
  if (core.adversary != nullptr) {
    fill_late_slots(table, core);
    refuse_what_was_not_promised(table, core.agreed.promised);
  }
  // Of a bare window's accesses and flushes the log would see some and not others.
  if (core.agreed.checked) {
    core.operations.unchecked = table;
    fill_ordering_slots(table);
    if (!core.agreed.bare) fill_checked_slots(table);
    refuse_what_was_not_promised(table, core.agreed.promised);  // before any other check
  }
  if (core.agreed.checked) {
    core.operations.unreported = table;
    fill_reporting_slots(table);
  }
  if (core.traced.file != nullptr) {
    core.operations.untraced = table;
    fill_traced_slots(table);
  }
}

}  // namespace oriel::win
