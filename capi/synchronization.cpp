#include "capi/enumerators.hpp"
#include "capi/guard.hpp"
#include "capi/handles.hpp"

namespace capi = oriel::capi;
using oriel::flush_scope;
using oriel::rank;
using oriel::sync_mode;

template <>
inline constexpr auto oriel::detail::entries_of<oriel::lock_kind> = std::array{
#define ORIEL_LOCK_KIND(number, name, c_name) oriel::lock_kind::name,
#include "oriel/enumerations/lock_kind.def"
};
template <>
inline constexpr capi::enumeration_text capi::text_of<oriel::lock_kind>{
    oriel::errc::locktype, "kind of lock", "ORIEL_LOCK_SHARED (0), ORIEL_LOCK_EXCLUSIVE (1)"};

extern "C" {

int oriel_window_fence(oriel_window* window, int mode) {
  return capi::with_mode(mode, [&](sync_mode m) {
    return capi::code_of(window->any, window->any.fence(m, capi::c_caller));
  });
}

int oriel_window_post(oriel_window* window, size_t n, const int* origins, int mode) {
  return capi::with_mode(mode, [&](sync_mode m) {
    return capi::code_of(window->any,
                         window->any.post(capi::ranks_from(origins, n), m, capi::c_caller));
  });
}

int oriel_window_start(oriel_window* window, size_t n, const int* targets, int mode) {
  return capi::with_mode(mode, [&](sync_mode m) {
    return capi::code_of(window->any,
                         window->any.start(capi::ranks_from(targets, n), m, capi::c_caller));
  });
}

int oriel_window_complete(oriel_window* window) {
  return capi::code_of(window->any, window->any.complete(capi::c_caller));
}

int oriel_window_wait(oriel_window* window) {
  return capi::code_of(window->any, window->any.wait(capi::c_caller));
}

// Through the table, whose code distinguishes a failure from "not yet".
int oriel_window_test(oriel_window* window, int* done) {
  const oriel::detail::window_view& view = window->any.view();
  bool ended = false;
  const oriel::status asked = view.ops->wait(*view.core, &ended, capi::c_caller);
  if (asked.ok()) *done = ended ? 1 : 0;
  return capi::code_of(window->any, asked);
}

int oriel_window_lock(oriel_window* window, int kind, int target, int mode) {
  return capi::with<oriel::lock_kind>(kind, [&](oriel::lock_kind k) {
    return capi::with_mode(mode, [&](sync_mode m) {
      return capi::code_of(window->any, window->any.lock(k, rank{target}, m, capi::c_caller));
    });
  });
}

int oriel_window_unlock(oriel_window* window, int target) {
  return capi::code_of(window->any, window->any.unlock(rank{target}, capi::c_caller));
}

int oriel_window_lock_all(oriel_window* window, int mode) {
  return capi::with_mode(mode, [&](sync_mode m) {
    return capi::code_of(window->any, window->any.lock_all(m, capi::c_caller));
  });
}

int oriel_window_unlock_all(oriel_window* window) {
  return capi::code_of(window->any, window->any.unlock_all(capi::c_caller));
}

int oriel_window_flush(oriel_window* window, int target) {
  return capi::code_of(window->any,
                       window->any.flush(rank{target}, flush_scope::target, capi::c_caller));
}

int oriel_window_flush_all(oriel_window* window) {
  return capi::code_of(window->any, window->any.flush_all(flush_scope::target, capi::c_caller));
}

int oriel_window_flush_local(oriel_window* window, int target) {
  return capi::code_of(window->any,
                       window->any.flush(rank{target}, flush_scope::local, capi::c_caller));
}

int oriel_window_flush_local_all(oriel_window* window) {
  return capi::code_of(window->any, window->any.flush_all(flush_scope::local, capi::c_caller));
}

int oriel_window_sync(oriel_window* window) {
  return capi::code_of(window->any, window->any.sync(capi::c_caller));
}

}  // extern "C"
