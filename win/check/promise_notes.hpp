// ORIEL_CHECK: what this process has done since its last synchronization with a window, of which an
// assert of the next one may say that there was nothing. Any thread.
#pragma once

#include <mutex>
#include <optional>

#include "oriel/call_site.hpp"
#include "sync/system.hpp"

namespace oriel::win {

class promise_notes {
 public:
  struct act {
    const char* what;  // "put"
    call_site at;
  };

  // The first one stays.
  void note_operation(const char* what, call_site at) noexcept { note(operation_, {what, at}); }
  void note_store(call_site at) noexcept { note(store_, {"store", at}); }
  // The operation since the last fence, and the store since the last synchronization, which are
  // forgotten.
  std::optional<act> take_operation() noexcept { return take(operation_); }
  std::optional<act> take_store() noexcept { return take(store_); }

 private:
  void note(std::optional<act>& kept, act made) noexcept {
    const std::lock_guard hold(mutex_);
    if (!kept) kept = made;
  }
  std::optional<act> take(std::optional<act>& kept) noexcept {
    const std::lock_guard hold(mutex_);
    std::optional<act> taken;
    kept.swap(taken);
    return taken;
  }

  sync::mutex mutex_;
  std::optional<act> operation_, store_;
};

}  // namespace oriel::win
