#include "win/check/far_access.hpp"

#include "oriel/detail/numbered.hpp"

namespace oriel::win {
namespace {

constexpr std::uint8_t requested = 1, in_loop = 2, fetches = 4, by_operation = 8;
constexpr std::uint8_t no_op = 0xff;  // no operation at all, not atomic_op::no_op

constexpr bool is_number_of_thread(std::int16_t n) noexcept {
  return n >= sessions::every_thread && n < static_cast<std::int16_t>(sessions::most_threads);
}

}  // namespace

far_entry packed(const shadow_access& a) noexcept {
  far_entry e;
  e.low = a.low;
  e.high = a.high;
  e.begun = a.begun.time;
  e.complete = a.complete.time;
  e.offset = a.at.offset;
  e.origin = a.origin;
  e.period = a.period;
  e.line = a.at.line;
  e.begun_by = a.begun.thread;
  e.completed_by = a.complete.thread;
  e.kind = static_cast<std::uint8_t>(a.kind);
  e.flags =
      static_cast<std::uint8_t>((a.requested ? requested : 0) | (a.in_loop ? in_loop : 0) |
                                (a.fetches ? fetches : 0) | (a.by_operation ? by_operation : 0));
  e.op = a.op ? static_cast<std::uint8_t>(*a.op) : no_op;
  e.type = static_cast<std::uint8_t>(a.type);
  e.file = a.at.file;
  return e;
}

std::optional<shadow_access> unpacked(const far_entry& e) noexcept {
  const auto type = detail::numbered<primitive>(e.type);
  const auto op = detail::numbered<atomic_op>(e.op);
  const access_kind kind{e.kind};
  if (!type || (!op && e.op != no_op) || kind > access_kind::store ||
      !is_number_of_thread(e.begun_by) || !is_number_of_thread(e.completed_by) ||
      e.file.back() != '\0')
    return std::nullopt;
  return shadow_access{.low = e.low,
                       .high = e.high,
                       .origin = e.origin,
                       .period = e.period,
                       .begun = {e.begun, e.begun_by},
                       .complete = {e.complete, e.completed_by},
                       .kind = kind,
                       .by_operation = (e.flags & by_operation) != 0,
                       .requested = (e.flags & requested) != 0,
                       .in_loop = (e.flags & in_loop) != 0,
                       .fetches = (e.flags & fetches) != 0,
                       .op = op,
                       .type = *type,
                       .at = {e.line, e.offset, e.file}};
}

}  // namespace oriel::win
