#include "win/apply_request.hpp"

#include <cstring>

#include "atomics/kernels.hpp"

namespace oriel::win {

using transport::mail_kind;

errc apply_request(detail::window_core& core, const owner_request& asked) noexcept {
  atomics::stripes* const stripes = core.stripes ? &*core.stripes : nullptr;
  switch (asked.kind) {
    case mail_kind::put:
      std::memcpy(asked.place, asked.operands, asked.bytes);
      return errc::success;
    case mail_kind::get:
      std::memcpy(asked.results, asked.place, asked.bytes);
      return errc::success;
    case mail_kind::accumulate:
    case mail_kind::get_accumulate: {
      const auto kernel =
          atomics::accumulate_kernel(asked.op, asked.type, atomics::kernel_mode::atomic);
      if (kernel == nullptr) return errc::op;
      return kernel(asked.place, asked.operands,
                    asked.kind == mail_kind::get_accumulate ? asked.results : nullptr,
                    asked.bytes / size_of(asked.type), stripes, key_of(core, asked.place));
    }
    case mail_kind::compare_swap: {
      const auto kernel = atomics::compare_swap_kernel(asked.bytes);
      if (kernel == nullptr) return errc::type;
      return kernel(asked.place, asked.operands, asked.operands + asked.bytes, asked.results,
                    stripes, key_of(core, asked.place));
    }
  }
  return errc::arg;
}

std::uint64_t key_of(const detail::window_core& core, const std::byte* place) noexcept {
  return core.node_memory().offset_of(place, 1).value_or(reinterpret_cast<std::uintptr_t>(place));
}

}  // namespace oriel::win
