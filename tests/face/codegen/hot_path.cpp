// Functions whose instructions codegen.cmake counts.
#include "oriel/window.hpp"

using namespace oriel;

constexpr auto mapped = assertion::remote_load_store | assertion::shared_lock;
constexpr auto exclusive = assertion::remote_load_store | assertion::exclusive_lock;

extern "C" {

void hot_put(window<std::uint64_t, mapped>& w, rank r, disp i, std::uint64_t v) {
  w.put(r, i, v);
}

std::uint64_t hot_get(window<std::uint64_t, mapped>& w, rank r, disp i) {
  return w.get(r, i);
}

std::uint64_t hot_fetch_add(window<std::uint64_t, mapped>& w, rank r, disp i, std::uint64_t v) {
  return w.fetch_add(r, i, v);
}

std::uint64_t hot_compare_swap(window<std::uint64_t, mapped>& w, rank r, disp i, std::uint64_t a,
                               std::uint64_t b) {
  return w.compare_swap(r, i, a, b);
}

void hot_view_put(window<std::uint64_t, mapped>& w, rank r, std::uint64_t i, std::uint64_t v) {
  w[r][i] = v;
}

std::uint64_t hot_view_get(window<std::uint64_t, mapped>& w, rank r, std::uint64_t i) {
  return w[r][i];
}

// Under exclusive locks alone, an accumulate is an addition in a process of one thread.
void hot_add_exclusive(window<std::uint64_t, exclusive>& w, rank r, disp i, std::uint64_t v) {
  w.add(r, i, v);
}

// Where accumulates may be long, which a single one must not meet.
void hot_add_beside_long(window<std::uint64_t, mapped | assertion::multi_element>& w, rank r,
                         disp i, std::uint64_t v) {
  w.add(r, i, v);
}

}  // extern "C"
