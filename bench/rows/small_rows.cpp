// One element of 8 bytes: the least promises that the operation needs, and then what more promises,
// or none at compile time, cost.
#include "bench/rows/operations.hpp"

namespace bench {
namespace {

using namespace oriel;

// `op(window, target, place, i)` on rank 0 in a lock_all epoch.
template <class Window, class Op>
void passive(oriel_party& all, const arguments& a, const char* name, Window w, Op op,
             bool flush_each = true) {
  const auto epoch = w.lock_all();
  const rank target = all.target();
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      op(w, target, disp{static_cast<word>(i % walked)}, i);
      if (flush_each) static_cast<void>(w.flush(target));
    }
    static_cast<void>(w.flush(target));
  });
  print_row(all, name, 8, ns);
}

constexpr assertion_set least{assertion::shared_lock};
// The targets are promised to be mapped: the address needs no test.
constexpr assertion_set mapped = assertion::shared_lock | assertion::remote_load_store;
constexpr assertion_set everything = every_assertion.without(assertion::attach);

template <assertion_set A>
auto make(oriel_party& all) {
  return window<word, A>::allocate(all.world(), walked);
}

}  // namespace

void small_rows(oriel_party& all, const arguments& a) {
  if (a.wants("put_flush")) passive(all, a, "put_flush", make<least>(all), put);
  if (a.wants("put_rate")) passive(all, a, "put_rate", make<mapped>(all), put, false);
  if (a.wants("get_flush")) passive(all, a, "get_flush", make<least>(all), get);
  if (a.wants("fetch_add")) passive(all, a, "fetch_add", make<least>(all), fetch_add);
  if (a.wants("compare_swap")) passive(all, a, "compare_swap", make<least>(all), compare_swap);
  // The operation alone: complete at the target by itself on mapped memory, where it is a locked
  // instruction.
  if (a.wants("fetch_add_bare"))
    passive(all, a, "fetch_add_bare", make<least>(all), fetch_add, false);
  if (a.wants("compare_swap_bare"))
    passive(all, a, "compare_swap_bare", make<least>(all), compare_swap, false);
  if (a.wants("accumulate")) passive(all, a, "accumulate", make<least>(all), accumulate);
}

void promise_rows(oriel_party& all, const arguments& a) {
  const auto variants = [&](const char* name, auto op) {
    const std::string base = name;
    const auto dynamic = [&](assertion_set s) {
      return window<word>::allocate(all.world(), walked, s);
    };
    if (a.wants(base + "_static"))
      passive(all, a, (base + "_static").c_str(), make<least>(all), op, false);
    if (a.wants(base + "_mapped"))
      passive(all, a, (base + "_mapped").c_str(), make<mapped>(all), op, false);
    if (a.wants(base + "_all"))
      passive(all, a, (base + "_all").c_str(), make<everything>(all), op, false);
    if (a.wants(base + "_dynamic"))
      passive(all, a, (base + "_dynamic").c_str(), dynamic(least), op, false);
    if (a.wants(base + "_dynamic_all"))
      passive(all, a, (base + "_dynamic_all").c_str(), dynamic(everything), op, false);
  };
  variants("put", put);
  variants("get", get);
  variants("fetch_add", fetch_add);
}

}  // namespace bench
