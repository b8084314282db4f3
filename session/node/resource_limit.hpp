// A limit of this process's, for messages.
#pragma once

#include <sys/resource.h>

#include <cstddef>
#include <optional>
#include <string>

namespace oriel::sessions {

// Nothing when there is none.
inline std::optional<std::size_t> limit_on(int resource) noexcept {
  rlimit limit{};
  if (getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) return std::nullopt;
  return limit.rlim_cur == RLIM_INFINITY ? std::nullopt : std::optional(limit.rlim_cur);
}

// "; the limit on addresses (RLIMIT_AS, ulimit -v) is 1024 bytes", for what is refused for lack of
// addresses or memory; empty when there is no such limit.
inline std::string addresses_limit_text() {
  const auto most = limit_on(RLIMIT_AS);
  return most ? "; the limit on addresses (RLIMIT_AS, ulimit -v) is " + std::to_string(*most) +
                    " bytes"
              : "";
}

}  // namespace oriel::sessions
