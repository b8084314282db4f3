// atom, red, membar and fence. Updates are the processor's own, so that they are atomic with those
// of other processes that map the memory.
#include "tests/drivers/ptx/atomic.hpp"

#include <atomic>

#include "tests/drivers/ptx/machine.hpp"
#include "tests/drivers/ptx/statement.hpp"

namespace oriel::test_driver::ptx {
namespace {

enum update : std::uint8_t {
  add,
  exchange,
  compare_swap,
  bit_and,
  bit_or,
  bit_xor,
  least,
  greatest,
  increment,
  decrement
};

constexpr std::uint8_t fence_of_all = 1;  // ordered with all others: membar, fence.sc

template <class T>
bool equal_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

template <class T>
T combined(std::uint8_t how, T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return a + b;
  } else {
    switch (how) {
      case add:
        return static_cast<T>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
      case bit_and:
        return a & b;
      case bit_or:
        return a | b;
      case bit_xor:
        return a ^ b;
      case least:
        return b < a ? b : a;
      case greatest:
        return a < b ? b : a;
      case increment:
        return static_cast<T>(a >= b ? T{0} : a + 1);
      case decrement:
        return static_cast<T>(a == T{0} || a > b ? b : a - 1);
      default:
        return b;
    }
  }
}

// Compares bits: a float that is no number equals itself.
template <class T>
T updated(std::byte* at, const instruction& i, T operand, T desired) {
  using word = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  std::atomic_ref<word> place(*reinterpret_cast<word*>(at));
  word before = place.load();
  if (i.variant == compare_swap) {
    before = std::bit_cast<word>(operand);
    place.compare_exchange_strong(before, std::bit_cast<word>(desired));
    return std::bit_cast<T>(before);
  }
  while (!place.compare_exchange_weak(
      before, std::bit_cast<word>(combined(i.variant, std::bit_cast<T>(before), operand))))
    ;
  return std::bit_cast<T>(before);
}

// op: destination (or none), address, operand, second operand of cas.
template <class T>
outcome perform(thread& t, const instruction& i) {
  const reached place = reach(t, i, address_of(t, i.op[1]), sizeof(T));
  const bool releases = i.ordering == order::release || i.ordering == order::acq_rel;
  const T operand = get<T>(t, i.op[2]);
  if (place.global) t.view.before_update(place.at, sizeof(T), releases);
  const T before = updated<T>(place.at, i, operand, get<T>(t, i.op[3]));
  if (place.global) {
    const bool changed = i.variant != compare_swap || equal_bits(before, operand);
    t.view.updated(place.at, changed, releases);
  }
  if (place.shared)
    for (std::size_t k = 0; k < sizeof(T); ++k) t.in->written[place.shared_offset + k] = true;
  if (i.ordering == order::acquire || i.ordering == order::acq_rel) t.view.acquire();
  if (i.op[0].what == operand::kind::reg) set<T>(t, i.op[0], before);
  return outcome::next;
}

outcome fence(thread& t, const instruction& i) {
  t.view.fence(i.variant == fence_of_all);
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return outcome::next;
}

bool update_of(std::string_view word, std::uint8_t& how) {
  if (word == "add")
    how = add;
  else if (word == "exch")
    how = exchange;
  else if (word == "cas")
    how = compare_swap;
  else if (word == "and")
    how = bit_and;
  else if (word == "or")
    how = bit_or;
  else if (word == "xor")
    how = bit_xor;
  else if (word == "min")
    how = least;
  else if (word == "max")
    how = greatest;
  else if (word == "inc")
    how = increment;
  else if (word == "dec")
    how = decrement;
  else
    return false;
  return true;
}

bool decode_fence(const statement& s, instruction& i) {
  const bool known = s.words.size() >= 2 && ((s.words[0] == "membar" && s.words.size() == 2) ||
                                             (s.words[0] == "fence" && s.words.size() == 3 &&
                                              (s.words[1] == "sc" || s.words[1] == "acq_rel")));
  const std::string_view scope = s.words.back();
  if (!known || !s.arguments.empty() ||
      (scope != "sys" && scope != "gpu" && scope != "gl" && scope != "cta"))
    return false;
  i.orders = true;
  if (s.words[1] != "acq_rel") i.variant = fence_of_all;
  i.run = fence;
  return true;
}

}  // namespace

std::uint64_t combined_bits(const instruction& i, std::uint64_t before, std::uint64_t operand) {
  return with_type_of(i.of, [&]<class T>(T) -> std::uint64_t {
    if constexpr (sizeof(T) < 4)
      return before;
    else
      return to_bits(combined(i.variant, from_bits<T>(before), from_bits<T>(operand)));
  });
}

bool decode_atomic(const statement& s, instruction& i) {
  if (s.words[0] == "membar" || s.words[0] == "fence") return decode_fence(s, i);
  const bool result = s.words[0] == "atom";
  if (!result && s.words[0] != "red") return false;
  const auto of = type_of(s.words.back());
  if (!of || (size_of(*of) != 4 && size_of(*of) != 8)) return false;
  bool known = false;
  for (std::size_t k = 1; k + 1 < s.words.size(); ++k) {
    const std::string_view word = s.words[k];
    if (word == "global")
      i.where = space::global;
    else if (word == "shared")
      i.where = space::shared;
    else if (word == "relaxed")
      i.ordering = order::relaxed;
    else if (word == "acquire")
      i.ordering = order::acquire;
    else if (word == "release")
      i.ordering = order::release;
    else if (word == "acq_rel")
      i.ordering = order::acq_rel;
    else if (update_of(word, i.variant))
      known = true;
    else if (word != "sys" && word != "gpu" && word != "cta")
      return false;
  }
  const std::size_t n = (result ? 3u : 2u) + (i.variant == compare_swap ? 1 : 0);
  if (!known || s.arguments.size() != n || !s.arguments[result ? 1 : 0].address) return false;
  for (std::size_t k = 0; k < n; ++k) i.op[result ? k : k + 1] = s.arguments[k].parts[0];
  if ((*of == type::f32 || *of == type::f64) && i.variant != add) return false;
  if ((i.variant == increment || i.variant == decrement) && *of != type::u32) return false;
  i.orders = i.updates = true;
  i.of = *of;
  i.run = with_type_of(*of, []<class T>(T) -> handler {
    if constexpr (sizeof(T) < 4)
      return nullptr;
    else
      return perform<T>;
  });
  return true;
}

}  // namespace oriel::test_driver::ptx
