// What any_window has for `window<T, A>` and for data structures over windows.
#include "oriel/any_window.hpp"
#include "win/slots/slots.hpp"
#include "win/window_core.hpp"

namespace oriel {

void any_window::require_any(assertion_set set, const char* call) const {
  if (valid()) win::require_promise(*view_.core, set, call);
}

errc any_window::differ_in_size(std::size_t operands, std::size_t results) noexcept {
  if (!valid()) return errc::win;
  return view_.core->fail(errc::count, "get_accumulate of " + std::to_string(operands) +
                                           " operands and " + std::to_string(results) +
                                           " results; both have one size");
}

bool any_window::serve_calls(const detail::owner_calls& calls) noexcept {
  return valid() && win::serve_calls(*view_.core, calls);
}
status any_window::call_owners(std::uint8_t kind, std::span<const detail::owner_call_place> places,
                               const std::byte* requests, std::byte* results) noexcept {
  return win::call_owners(*view_.core, kind, places, requests, results);
}

errc any_window::lists_differ(std::size_t ranks, std::size_t disps, std::size_t values) noexcept {
  if (!valid()) return errc::win;
  return view_.core->fail(errc::count, "a list of " + std::to_string(ranks) + " ranks, " +
                                           std::to_string(disps) + " displacements and " +
                                           std::to_string(values) + " elements; all have one size");
}

}  // namespace oriel
