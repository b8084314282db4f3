#include "session/device_hint.hpp"

#include <charconv>
#include <string>

#include "oriel/errc.hpp"

namespace oriel::sessions {

int device_hint(const info& hints, const kinds::device_runtime& runtime, int node_rank) {
  const int devices = runtime.devices();
  const auto text = hints.get("oriel_device");
  if (!text) return runtime.current_device().value_or(node_rank % devices);
  if (*text == "in_turn") return node_rank % devices;
  int ordinal = -1;
  const char* const end = text->data() + text->size();
  const auto [stop, failure] = std::from_chars(text->data(), end, ordinal);
  if (failure != std::errc{} || stop != end || ordinal < 0 || ordinal >= devices)
    throw error(errc::info, "oriel_device is '" + *text + "'; valid: in_turn, and 0 to " +
                                std::to_string(devices - 1) + ", the devices of " +
                                std::string(kinds::name(runtime.whose())) + " here");
  return ordinal;
}

}  // namespace oriel::sessions
