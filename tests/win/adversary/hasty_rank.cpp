// Programs that rely on more than they synchronized for, and the same ones put right:
// hasty_rank wrong|right, on two ranks. Rank 0 prints for each whether what it expects has come.
#include <array>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <span>
#include <vector>

#include "oriel/oriel.hpp"

namespace {

using namespace oriel;

constexpr assertion_set passive =
    assertion::shared_lock | assertion::local_load_store | assertion::multi_element;
constexpr std::size_t elements = 16;
constexpr disp start_of_window{0};

class program {
 public:
  program(const team& all, bool is_right) : world(all), right(is_right) {}
  [[nodiscard]] bool is_origin() const { return world.me().value == 0; }
  void meet() const { world.barrier().or_throw(); }

  const team& world;
  const bool right;
  const rank target{1};
};

using values = std::array<long, elements>;
values numbered(long first) {
  values v{};
  std::iota(v.begin(), v.end(), first);
  return v;
}
bool equal(std::span<const long> a, const values& b) {
  return std::equal(b.begin(), b.end(), a.begin());
}

// --- The target reads what nothing has completed

bool put_without_flush(const program& p) {
  auto w = window<long, passive>::allocate(p.world, elements);
  auto open = w.lock_all();
  if (p.is_origin()) w.put(p.target, start_of_window, 42).or_throw();
  if (p.right) w.flush(p.target).or_throw();
  p.meet();
  const bool came = p.is_origin() || w.local()[0] == 42;
  p.meet();
  return came;
}

bool put_with_local_flush(const program& p) {
  auto w = window<long, passive>::allocate(p.world, elements);
  auto open = w.lock_all();
  const values sent = numbered(1);
  if (p.is_origin()) {
    w.put(p.target, start_of_window, sent).or_throw();
    (p.right ? w.flush(p.target) : w.flush_local(p.target)).or_throw();
  }
  p.meet();
  const bool came = p.is_origin() || equal(w.local(), sent);
  p.meet();
  return came;
}

bool put_before_the_end_of_an_access(const program& p) {
  constexpr assertion_set promised = assertion::pscw | assertion::local_load_store;
  auto w = window<long, promised>::allocate(p.world, elements);
  const std::array other{p.is_origin() ? p.target : rank{0}};
  if (!p.is_origin()) w.post(other).or_throw();
  epoch access;
  if (p.is_origin()) {
    access = w.start(other);
    w.put(p.target, start_of_window, 42).or_throw();
    if (p.right) access.end().or_throw();
  } else if (p.right) {
    w.wait().or_throw();
  }
  p.meet();
  const bool came = p.is_origin() || w.local()[0] == 42;
  p.meet();
  access.end().or_throw();
  if (!p.is_origin() && !p.right) w.wait().or_throw();
  return came;
}

bool notification_before_a_put(const program& p) {
  constexpr assertion_set promised = passive | assertion::notify;
  auto w = window<long, promised>::allocate(p.world, elements, {.notify_counters = 1});
  auto open = w.lock_all();
  bool came = true;
  if (p.is_origin()) {
    w.put(p.target, start_of_window, 42).or_throw();
    if (p.right) w.flush(p.target).or_throw();
    w.notify(p.target, 0).or_throw();
  } else {
    w.wait_notify(0, 1).or_throw();
    came = w.local()[0] == 42;
  }
  p.meet();
  return came;
}

// --- Buffers that are the operation's

bool source_before_flush(const program& p) {
  auto w = window<long, passive>::allocate(p.world, elements);
  auto open = w.lock_all();
  values sent = numbered(1);
  if (p.is_origin()) {
    w.put(p.target, start_of_window, sent).or_throw();
    if (p.right) w.flush_local(p.target).or_throw();
    sent.fill(0);
    w.flush(p.target).or_throw();
  }
  p.meet();
  const bool came = p.is_origin() || equal(w.local(), numbered(1));
  p.meet();
  return came;
}

bool source_of_a_request(const program& p) {
  auto w = window<long, passive>::allocate(p.world, elements);
  auto open = w.lock_all();
  values sent = numbered(1);
  if (p.is_origin()) {
    request sending = w.rput(p.target, start_of_window, sent);
    if (p.right) sending.wait().or_throw();
    sent.fill(0);
    sending.wait().or_throw();
    w.flush(p.target).or_throw();
  }
  p.meet();
  const bool came = p.is_origin() || equal(w.local(), numbered(1));
  p.meet();
  return came;
}

// Whether `get(w, got)` has got what rank 1 has stored, when it returns; its request may be open.
template <class Get>
bool gets(const program& p, Get get) {
  auto w = window<long, passive>::allocate(p.world, elements);
  const values stored = numbered(7);
  if (!p.is_origin()) std::copy(stored.begin(), stored.end(), w.local().begin());
  w.sync().or_throw();
  p.meet();
  bool came = true;
  {
    auto open = w.lock_all();
    values got{};
    if (p.is_origin()) {
      const request begun = get(w, got);
      came = got == stored;
      w.flush(p.target).or_throw();
    }
  }
  p.meet();
  return came;
}

bool result_before_flush(const program& p) {
  return gets(p, [&](auto& w, values& got) {
    w.get(p.target, start_of_window, got).or_throw();
    if (p.right) w.flush_local(p.target).or_throw();
    return request();
  });
}
bool result_of_a_request(const program& p) {
  return gets(p, [&](auto& w, values& got) {
    request getting = w.rget(p.target, start_of_window, got);
    if (p.right) getting.wait().or_throw();
    return getting;
  });
}
bool results_of_a_list(const program& p) {
  return gets(p, [&](auto& w, values& got) {
    std::vector<disp> at;
    for (std::size_t i = 0; i < elements; ++i) at.emplace_back(i);
    const std::vector<rank> of(elements, p.target);
    w.gather(of, at, got).or_throw();
    if (p.right) w.flush_local(p.target).or_throw();
    return request();
  });
}
bool result_of_an_accumulate(const program& p) {
  return gets(p, [&](auto& w, values& got) {
    static const values more = numbered(1);  // which outlives the call
    w.get_accumulate(atomic_op::sum, p.target, start_of_window, more, got).or_throw();
    if (p.right) w.flush_local(p.target).or_throw();
    return request();
  });
}
bool result_before_a_fence(const program& p) {
  constexpr assertion_set promised =
      assertion::fence | assertion::local_load_store | assertion::multi_element;
  auto w = window<long, promised>::allocate(p.world, elements);
  const values stored = numbered(7);
  if (!p.is_origin()) std::copy(stored.begin(), stored.end(), w.local().begin());
  w.fence().or_throw();
  values got{};
  if (p.is_origin()) w.get(p.target, start_of_window, got).or_throw();
  if (p.right) w.fence().or_throw();
  const bool came = !p.is_origin() || got == stored;
  w.fence().or_throw();
  return came;
}

// --- Order that was not promised

template <assertion_set Promised>
bool replaces_in_order(const program& p) {
  auto w = window<long, Promised>::allocate(p.world, elements);
  auto open = w.lock_all();
  if (p.is_origin()) {
    for (long turn = 1; turn <= 3; ++turn)
      for (std::size_t i = 0; i < elements; ++i)
        w.accumulate(atomic_op::replace, p.target, disp{i}, turn).or_throw();
    w.flush(p.target).or_throw();
  }
  p.meet();
  values last{};
  last.fill(3);
  const bool came = p.is_origin() || equal(w.local(), last);
  p.meet();
  return came;
}
bool unordered_accumulates(const program& p) {
  return p.right ? replaces_in_order<passive | assertion::ordered_replace>(p)
                 : replaces_in_order<passive>(p);
}

constexpr struct {
  const char* name;
  bool (*run)(const program&);
} programs[] = {{"put_without_flush", put_without_flush},
                {"put_with_local_flush", put_with_local_flush},
                {"put_before_the_end_of_an_access", put_before_the_end_of_an_access},
                {"notification_before_a_put", notification_before_a_put},
                {"source_before_flush", source_before_flush},
                {"source_of_a_request", source_of_a_request},
                {"result_before_flush", result_before_flush},
                {"result_of_a_request", result_of_a_request},
                {"results_of_a_list", results_of_a_list},
                {"result_of_an_accumulate", result_of_an_accumulate},
                {"result_before_a_fence", result_before_a_fence},
                {"unordered_accumulates", unordered_accumulates}};

}  // namespace

int main(int, char** argv) {
  const session s;
  const program p(s.world(), std::strcmp(argv[1], "right") == 0);
  for (const auto& one : programs) {
    bool came = true;
    for (const char each : s.world().allgather(char{one.run(p)})) came = came && each != 0;
    if (p.is_origin()) std::printf("%s %s\n", one.name, came ? "came" : "failed");
  }
  return 0;
}
