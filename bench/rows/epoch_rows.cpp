// Epochs: locks, fence, post-start-complete-wait; alone and contended.
#include "bench/rows/rows.hpp"

namespace bench {
namespace {

using namespace oriel;
using word = std::uint64_t;
using exclusive_window = window<word, assertion_set(assertion::exclusive_lock)>;
constexpr assertion_set everything = every_assertion.without(assertion::attach);

disp place(long i) {
  return disp{static_cast<word>(i % walked)};
}

template <class Window>
void lock_row(oriel_party& all, const arguments& a, const char* name) {
  if (!a.wants(name)) return;
  auto w = Window::allocate(all.world(), walked);
  const rank target = all.target();
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      const auto epoch = w.lock_exclusive(target);
      static_cast<void>(w.put(target, place(i), static_cast<word>(i)));
    }
  });
  print_row(all, name, 8, ns);
}

template <class Window>
void fence_row(oriel_party& all, const arguments& a, const char* name) {
  if (!a.wants(name)) return;
  auto w = Window::allocate(all.world(), walked);
  w.fence().or_throw();
  const rank target = all.target();
  const bool putting = all.rank() == 0;
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (putting) static_cast<void>(w.put(target, place(i), static_cast<word>(i)));
      w.fence().or_throw();
    }
  });
  print_row(all, name, 8, ns);
}

void pscw_row(oriel_party& all, const arguments& a) {
  if (!a.wants("pscw") || all.size() != 2) return;
  auto w = window<word, assertion_set(assertion::pscw)>::allocate(all.world(), walked);
  const rank other[] = {rank{1 - all.rank()}};
  const bool putting = all.rank() == 0;
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (putting) {
        const auto epoch = w.start(other);
        static_cast<void>(w.put(other[0], place(i), static_cast<word>(i)));
      } else {
        static_cast<void>(w.post(other));
        w.wait().or_throw();
      }
    }
  });
  print_row(all, "pscw", 8, ns);
}

}  // namespace

void epoch_rows(oriel_party& all, const arguments& a) {
  if (all.size() > 2) {
    fence_row<window<word, assertion_set(assertion::fence)>>(all, a, "fence4");
    return;
  }
  lock_row<exclusive_window>(all, a, "lock_put_unlock");
  lock_row<window<word, everything>>(all, a, "lock_put_unlock_all");
  fence_row<window<word, assertion_set(assertion::fence)>>(all, a, "fence");
  fence_row<window<word, everything>>(all, a, "fence_all");
  pscw_row(all, a);
}

void contended_rows(oriel_party& all, const arguments& a) {
  const rank zero{0};
  if (a.wants("lock_contention4")) {
    auto w = exclusive_window::allocate(all.world(), walked);
    const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        const auto epoch = w.lock_exclusive(zero);
        static_cast<void>(w.put(zero, disp{0}, w.get(zero, disp{0}) + 1));
      }
      all.barrier();
    });
    print_row(all, "lock_contention4", 8, ns / all.size());
  }
  if (a.wants("fetch_add4")) {
    auto w = window<word, assertion_set(assertion::shared_lock)>::allocate(all.world(), walked);
    const auto epoch = w.lock_all();
    const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
      for (long i = 0; i < n; ++i) {
        keep(w.fetch_add(zero, disp{0}, 1));
        static_cast<void>(w.flush(zero));
      }
      all.barrier();
    });
    print_row(all, "fetch_add4", 8, ns / all.size());
  }
}

void construct_rows(oriel_party& all, const arguments& a) {
  if (!a.wants("construct")) return;
  using small = window<word, assertion_set(assertion::shared_lock)>;
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) keep(small::allocate(all.world(), walked));
  });
  print_row(all, "construct", 4096, ns);
  auto w = small::allocate(all.world(), walked);
  const double each = static_cast<double>(w.any().metadata_bytes()) / all.size();
  print_row(all, "metadata_bytes_per_rank", 4096, each);
}

}  // namespace bench
