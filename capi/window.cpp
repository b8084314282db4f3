#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;
using oriel::any_window;

namespace {

oriel::window_options options_from(const oriel_window_options* given) {
  const oriel_window_options known = capi::read_options(given);
  oriel::window_options options;
  if (known.name != nullptr) options.name = known.name;
  if (known.hints != nullptr) options.hints = known.hints->pairs;
  if (known.memory_kind != nullptr) options.memory_kind = known.memory_kind;
  if (known.ops != 0) options.ops = oriel::op_set{static_cast<std::uint32_t>(known.ops)};
  if (known.notify_counters != 0) options.notify_counters = known.notify_counters;
  options.aggregate = known.aggregate != 0;
  options.asynchronous_progress = known.asynchronous_progress != 0;
  return options;
}

oriel::assertion_set assertions_from(int assertions) {
  return oriel::assertion_set{static_cast<std::uint32_t>(assertions)};
}

oriel_segment c_segment(const oriel::segment<std::byte>& s) {
  return {static_cast<std::uint32_t>(s.handle), static_cast<std::int64_t>(s.first.value), s.count,
          s.base};
}

}  // namespace

extern "C" {

int oriel_window_allocate(const oriel_team* team, size_t count, const oriel_datatype* base,
                          int assertions, const oriel_window_options* options,
                          oriel_window** window) {
  return capi::guarded([&] {
    *window = new oriel_window{any_window::allocate(
        team->team, count, base->type, assertions_from(assertions), options_from(options))};
  });
}

int oriel_window_create(const oriel_team* team, void* memory, size_t count,
                        const oriel_datatype* base, int assertions,
                        const oriel_window_options* options, oriel_window** window) {
  return capi::guarded([&] {
    *window = new oriel_window{any_window::create(
        team->team, memory, count, base->type, assertions_from(assertions), options_from(options))};
  });
}

int oriel_window_free(oriel_window* window) {
  if (window == nullptr) return ORIEL_SUCCESS;
  const oriel::status ended = window->any.free();
  delete window;
  return capi::code_of(ended);
}

int oriel_window_team(const oriel_window* window, oriel_team** team) {
  return capi::guarded([&] { *team = new oriel_team{window->any.members()}; });
}

int oriel_window_base(const oriel_window* window, oriel_datatype** base) {
  return capi::guarded([&] { *base = new oriel_datatype{window->any.base()}; });
}

int oriel_window_assertions(const oriel_window* window, int* assertions) {
  *assertions = static_cast<int>(window->any.assertions().bits);
  return ORIEL_SUCCESS;
}

int oriel_window_name(const oriel_window* window, char* text, size_t capacity, size_t* length) {
  capi::give_text(window->any.name(), text, capacity, length);
  return ORIEL_SUCCESS;
}

int oriel_window_hints(const oriel_window* window, oriel_info** hints) {
  return capi::guarded([&] { *hints = new oriel_info{window->any.hints()}; });
}

int oriel_window_explain(const oriel_window* window, char* text, size_t capacity, size_t* length) {
  return capi::guarded([&] { capi::give_text(window->any.explain(), text, capacity, length); });
}

int oriel_window_metadata_bytes(const oriel_window* window, size_t* bytes) {
  *bytes = window->any.metadata_bytes();
  return ORIEL_SUCCESS;
}

int oriel_window_local(const oriel_window* window, void** base, size_t* count) {
  return capi::guarded([&] {
    *base = window->any.local();
    *count = window->any.local_count();
  });
}

int oriel_window_shared_query(const oriel_window* window, int rank, int* of, void** base,
                              size_t* count) {
  const oriel::shared_segment<std::byte> found = window->any.shared_query(oriel::rank{rank});
  if (of != nullptr) *of = found.of.value;
  *base = found.base;
  *count = found.count;
  return ORIEL_SUCCESS;
}

int oriel_window_segments(const oriel_window* window, int rank, oriel_segment* segments,
                          size_t capacity, size_t* number) {
  return capi::guarded([&] {
    capi::give_array(window->any.segments(oriel::rank{rank}), segments, capacity, number,
                     c_segment);
  });
}

int oriel_window_attach(oriel_window* window, void* memory, size_t count, oriel_segment* segment) {
  return capi::guarded(
      [&] { *segment = c_segment(window->any.attach(memory, count, capi::c_caller)); });
}

int oriel_window_detach(oriel_window* window, uint32_t handle) {
  return capi::code_of(
      window->any, window->any.detach(static_cast<oriel::segment_handle>(handle), capi::c_caller));
}

int oriel_window_failure(const oriel_window* window, char* text, size_t capacity, size_t* length) {
  return capi::guarded([&] { capi::give_text(window->any.failure(), text, capacity, length); });
}

int oriel_window_first_failure(const oriel_window* window, char* text, size_t capacity,
                               size_t* length) {
  return capi::guarded(
      [&] { capi::give_text(window->any.first_failure(), text, capacity, length); });
}

int oriel_window_clear_failure(oriel_window* window) {
  window->any.clear_failure();
  return ORIEL_SUCCESS;
}

}  // extern "C"
