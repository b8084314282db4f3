#include "win/closed_window.hpp"

#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "sync/system.hpp"

namespace oriel {
namespace win {
namespace {

using detail::operation_table;
using detail::segment_entry;
using detail::window_core;

// A function of the slot's own type.
template <class... Rest>
errc closed(window_core&, Rest...) noexcept {
  return errc::win;
}

// Of so many ranks. Zeros that are never written: address space, and no memory.
constexpr std::size_t most_ranks = std::size_t{1} << 17;
static_assert(detail::unmapped == 0);
segment_entry all_unmapped[most_ranks];

// Not 0, so that a flush calls the table too.
constinit detail::window_hot nothing_pending{{static_cast<std::int32_t>(errc::win)}, {1}};

// What the base, the name and the like of a closed window are read from. Never destroyed, since
// windows of static storage may be called until the very end.
union never_destroyed {
  constexpr never_destroyed() noexcept : nothing() {}
  ~never_destroyed() {}  // NOLINT: as its name says
  char nothing;
  window_core core;
};
constinit never_destroyed no_window;
[[maybe_unused]] const window_core* const made = ::new (&no_window.core) window_core;

// The storage of a core that is destroyed, but for its table.
class ended_window {
 public:
  explicit ended_window(window_core* core) noexcept : core_(core) {
    operation_table* const table = &core->operations.table;
    std::destroy_at(core);
    ::new (table) operation_table(closed_operations);
  }
  ended_window(ended_window&& other) noexcept : core_(std::exchange(other.core_, nullptr)) {}
  ended_window(const ended_window&) = delete;
  ended_window& operator=(const ended_window&) = delete;
  ended_window& operator=(ended_window&&) = delete;
  void keep_for_good() noexcept { core_ = nullptr; }
  ~ended_window() {
    if (core_ != nullptr) std::allocator<window_core>().deallocate(core_, 1);
  }

 private:
  window_core* core_;
};

// Those of a session.
class ended_windows {
 public:
  explicit ended_windows(detail::session_state&) noexcept {}
  void keep(ended_window&& one) {
    const std::lock_guard hold(mutex_);
    kept_.push_back(std::move(one));
  }

 private:
  sync::mutex mutex_;
  std::vector<ended_window> kept_;
};

}  // namespace

constinit const operation_table closed_operations{
    .put = closed,
    .get = closed,
    .accumulate = closed,
    .fetch_op = closed,
    .compare_swap = closed,
    .put_n = closed,
    .get_n = closed,
    .accumulate_n = closed,
    .put_typed = closed,
    .get_typed = closed,
    .accumulate_typed = closed,
    .fetch_op_as = closed,
    .compare_swap_as = closed,
    .begin_compare_swap_as = closed,
    .accumulate_as = closed,
    .list = closed,
    .put_notify = closed,
    .put_notify_typed = closed,
    .wait_notify = closed,
    .wait_notify_any = closed,
    .read_notify = closed,
    .fence = closed,
    .post = closed,
    .start = closed,
    .complete = closed,
    .wait = closed,
    .lock = closed,
    .unlock = closed,
    .lock_all = closed,
    .unlock_all = closed,
    .flush = closed,
    .sync = closed,
    .attach = closed,
    .detach = closed,
};

void keep_for_open_epochs(std::unique_ptr<window_core> core) noexcept {
  const std::shared_ptr<detail::team_state> group = core->group;
  ended_window ended(core.release());
  try {
    group->session().extension<ended_windows>().keep(std::move(ended));
  } catch (const std::bad_alloc&) {
    ended.keep_for_good();
  }
}

}  // namespace win

namespace detail {

constinit const window_view closed_view{
    .segments = win::all_unmapped,
    .atomics = win::all_unmapped,
    .runs = win::all_unmapped,
    .ops = &win::closed_operations,
    .core = &win::no_window.core,
    .hot = &win::nothing_pending,
    .gates = {},
};

}  // namespace detail
}  // namespace oriel
