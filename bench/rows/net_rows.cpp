// Between nodes, where every operation is a message or waits for one: the least promises that each
// operation needs. Rank 0 accesses the last rank, which is on another node however they are dealt.
#include "bench/rows/operations.hpp"

namespace bench {
namespace {

using namespace oriel;

rank farthest(const oriel_party& all) {
  return rank{all.size() - 1};
}

disp place(long i) {
  return disp{static_cast<word>(i % walked)};
}

// `op(window, target, i)` on rank 0 in a lock_all epoch of `w`, with a flush after every
// `in_flight`. `bytes` are moved by each.
template <class Window, class Op>
void origin_row_of(Window& w, oriel_party& all, const arguments& a, const char* name,
                   std::size_t bytes, long in_flight, Op op) {
  const auto epoch = w.lock_all();
  const rank target = farthest(all);
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n;) {
      for (const long end = std::min(n, i + in_flight); i < end; ++i) op(w, target, i);
      w.flush(target).or_throw();
    }
  });
  print_row(all, name, bytes, ns);
}

// The target exposes `exposed` bytes at least.
template <assertion_set A, class Op>
void origin_row(oriel_party& all, const arguments& a, const char* name, std::size_t bytes,
                std::size_t exposed, long in_flight, Op op) {
  if (!a.wants(name)) return;
  auto w = window<word, A>::allocate(all.world(), std::max<std::size_t>(walked, exposed / 8));
  origin_row_of(w, all, a, name, bytes, in_flight, op);
}

template <class Op>
void word_row(oriel_party& all, const arguments& a, const char* name, Op op, long in_flight = 1) {
  origin_row<assertion_set(assertion::shared_lock)>(
      all, a, name, sizeof(word), sizeof(word), in_flight,
      [&op](auto& w, rank t, long i) { op(w, t, place(i), i); });
}

void transfer_rows(oriel_party& all, const arguments& a) {
  constexpr assertion_set many = assertion::shared_lock | assertion::multi_element;
  const page_buffer memory(net_transfer);
  const std::span buffer(reinterpret_cast<word*>(memory.data()), net_transfer / sizeof(word));
  origin_row<many>(all, a, "net_put_1m", net_transfer, net_transfer, 1, [&](auto& w, rank t, long) {
    static_cast<void>(w.put(t, disp{0}, std::span<const word>(buffer)));
  });
  origin_row<many>(all, a, "net_get_1m", net_transfer, net_transfer, 1,
                   [&](auto& w, rank t, long) { static_cast<void>(w.get(t, disp{0}, buffer)); });
}

// Memory that the target has attached: an element of it, and all of it.
void attached_rows(oriel_party& all, const arguments& a) {
  constexpr assertion_set attached =
      assertion::shared_lock | assertion::multi_element | assertion::attach;
  const page_buffer memory(net_transfer), exposed(net_transfer);
  const std::span buffer(reinterpret_cast<word*>(memory.data()), net_transfer / sizeof(word));
  const std::span there(reinterpret_cast<word*>(exposed.data()), net_transfer / sizeof(word));
  const auto row = [&](const char* name, std::size_t bytes, auto op) {
    if (!a.wants(name)) return;
    auto w = window<word, attached>::create(all.world());
    disp first = w.attach(there).first;
    all.world().broadcast(first, farthest(all)).or_throw();
    origin_row_of(w, all, a, name, bytes, 1, [&](auto& on, rank t, long) {
      static_cast<void>(op(on, t, first, buffer.first(bytes / sizeof(word))));
    });
  };
  const auto put_all = [](auto& w, rank t, disp i, std::span<word> values) {
    return w.put(t, i, std::span<const word>(values));
  };
  const auto get_all = [](auto& w, rank t, disp i, std::span<word> values) {
    return w.get(t, i, values);
  };
  row("net_attached_put", sizeof(word), put_all);
  row("net_attached_get", sizeof(word), get_all);
  row("net_attached_put_1m", net_transfer, put_all);
  row("net_attached_get_1m", net_transfer, get_all);
}

// What datatypes lay out: a tile of a matrix that is twice as wide, on both sides, and every 16th
// element of an array, put from and into such.
void layout_rows(oriel_party& all, const arguments& a) {
  constexpr assertion_set laid_out =
      assertion::shared_lock | assertion::multi_element | assertion::user_datatype;
  const datatype element = datatype::of<word>();
  const page_buffer memory(net_matrix);
  auto* const here = reinterpret_cast<word*>(memory.data());
  constexpr std::size_t side = net_tile_side;
  const shape tile{datatype::vector(side, side, 2 * side, element), 1};
  const shape sixteenths{datatype::vector(net_picked, 1, net_apart, element), 1};
  const auto row = [&](const char* name, const shape& s, auto op) {
    origin_row<laid_out>(all, a, name, s.type.size(), net_matrix, 1,
                         [&](auto& w, rank t, long) { static_cast<void>(op(w, t, s)); });
  };
  const auto put_shape = [here](auto& w, rank t, const shape& s) {
    return w.put(t, disp{0}, here, s, s);
  };
  const auto get_shape = [here](auto& w, rank t, const shape& s) {
    return w.get(t, disp{0}, here, s, s);
  };
  row("net_put_tile", tile, put_shape);
  row("net_get_tile", tile, get_shape);
  row("net_add_tile", tile, [here](auto& w, rank t, const shape& s) {
    return w.accumulate(atomic_op::sum, t, disp{0}, here, s, s);
  });
  row("net_put_16th", sixteenths, put_shape);
  row("net_get_16th", sixteenths, get_shape);
}

void lock_row(oriel_party& all, const arguments& a) {
  constexpr const char* name = "net_lock_put_unlock";
  if (!a.wants(name)) return;
  auto w = window<word, assertion_set(assertion::exclusive_lock)>::allocate(all.world(), walked);
  const rank target = farthest(all);
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      const auto epoch = w.lock_exclusive(target);
      static_cast<void>(w.put(target, place(i), static_cast<word>(i)));
    }
  });
  print_row(all, name, sizeof(word), ns);
}

void fence_row(oriel_party& all, const arguments& a) {
  constexpr const char* name = "net_fence";
  if (!a.wants(name)) return;
  auto w = window<word, assertion_set(assertion::fence)>::allocate(all.world(), walked);
  w.fence().or_throw();
  const rank target = farthest(all);
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      if (all.rank() == 0) static_cast<void>(w.put(target, place(i), static_cast<word>(i)));
      w.fence().or_throw();
    }
  });
  print_row(all, name, sizeof(word), ns);
}

}  // namespace

void net_rows(oriel_party& all, const arguments& a) {
  if (all.size() > 2) {
    fence_row(all, a);
    net_notify_rows(all, a);
    return;
  }
  word_row(all, a, "net_put_flush", put);
  word_row(all, a, "net_get_flush", get);
  word_row(all, a, "net_put_stream", put, puts_a_stream);
  transfer_rows(all, a);
  attached_rows(all, a);
  layout_rows(all, a);
  word_row(all, a, "net_fetch_add", fetch_add);
  word_row(all, a, "net_cas", compare_swap);
  word_row(all, a, "net_accumulate", accumulate);
  lock_row(all, a);
  net_notify_rows(all, a);
  net_element_rows(all, a);
  net_list_rows(all, a);
  net_dart_row(all, a);
  net_map_rows(all, a);
}

}  // namespace bench
