#include "win/statistics/counters.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "win/statistics/count.hpp"
#include "win/statistics/thread_number.hpp"

namespace oriel::win {

using detail::window_core;

namespace {

sessions::member_line& line_of_this_process(const window_core& core) noexcept {
  const sessions::job& job = core.group->session().job();
  return core.node_memory().member(job.node_rank_of(job.rank()));
}

template <class T>
T& at(const window_core& core, std::uint64_t offset) noexcept {
  return *reinterpret_cast<T*>(core.node_memory().base() + offset);
}

// The list of a process's pages is changed by one thread of it at a time.
class page_list {
 public:
  explicit page_list(detail::session_state&) noexcept {}

  void add(const window_core& core, std::uint64_t page) noexcept {
    const std::lock_guard hold(changing_);
    std::atomic<std::uint64_t>& first = line_of_this_process(core).pages;
    at<statistics_page>(core, page)
        .next.store(first.load(std::memory_order_relaxed), std::memory_order_relaxed);
    first.store(page, std::memory_order_release);
  }
  void remove(const window_core& core, std::uint64_t page) noexcept {
    const std::lock_guard hold(changing_);
    std::atomic<std::uint64_t>* link = &line_of_this_process(core).pages;
    while (link->load(std::memory_order_relaxed) != page)
      link = &at<statistics_page>(core, link->load(std::memory_order_relaxed)).next;
    link->store(at<statistics_page>(core, page).next.load(std::memory_order_relaxed),
                std::memory_order_release);
  }

 private:
  sync::mutex changing_;
};

// A page that is in no list any more.
void release_page(const window_core& core, std::uint64_t offset) noexcept {
  auto& page = at<statistics_page>(core, offset);
  page.mark.store(0, std::memory_order_relaxed);
  for (std::uint64_t next = page.first.next.load(std::memory_order_relaxed); next != 0;) {
    const std::uint64_t here = next;
    next = at<tallies>(core, here).next.load(std::memory_order_relaxed);
    core.node_memory().release(here);
  }
  core.node_memory().release(offset);
}

// Those of processes of this node that have died: whoever takes the list first releases it.
void release_pages_of_the_dead(const window_core& core) noexcept {
  const detail::team_state& group = *core.group;
  const sessions::job& job = group.session().job();
  for (const int r : group.node_members()) {
    const int there = group.world_rank(r);
    std::atomic<std::uint64_t>& first = core.node_memory().member(job.node_rank_of(there)).pages;
    if (first.load(std::memory_order_relaxed) == 0 || job.runs(there)) continue;
    for (std::uint64_t next = first.exchange(0, std::memory_order_acquire); next != 0;) {
      const std::uint64_t here = next;
      next = at<statistics_page>(core, here).next.load(std::memory_order_relaxed);
      release_page(core, here);
    }
  }
}

}  // namespace

tallies* counters::make_page(window_core& core) {
  const std::uint64_t offset =
      core.node_memory().allocate(sizeof(statistics_page), alignof(statistics_page));
  auto& page = at<statistics_page>(core, offset);
  page.window = core.agreed.id;
  page.rank = core.me();
  page.ranks = core.ranks();
  page.world_rank = core.epochs.world_me;
  if (core.agreed.promised.has(assertion::exclusive_lock)) {
    page.locks = core.memory.room.block() + core.memory.layout.locks;
    page.locks_here = static_cast<std::int32_t>(core.group->node_members().size());
    page.own_lock = static_cast<std::int32_t>(core.node_rank(rank{core.me()}));
  }
  const std::size_t cut = std::min(core.agreed.name.size(), statistics_page::longest_name - 1);
  std::memcpy(page.name, core.agreed.name.data(), cut);
  page.mark.store(statistics_page::valid, std::memory_order_release);
  core.group->session().extension<page_list>().add(core, offset);
  page_ = offset;
  return &page.first;
}

tallies* counters::make_shown(window_core& core) {
  if (page_ == 0) return make_page(core);
  const std::uint64_t offset = core.node_memory().allocate(sizeof(tallies), alignof(tallies));
  last_->next.store(offset, std::memory_order_release);
  return &at<tallies>(core, offset);
}

tallies* counters::make_mine(window_core& core) noexcept {
  if (thread_number == 0) number_this_thread();
  if (thread_number == surplus) return nullptr;
  std::atomic<tallies*>& slot = by_thread_[thread_number];
  if (tallies* const made = slot.load(std::memory_order_relaxed)) return made;
  const std::lock_guard hold(making_);
  try {
    tallies* made = nullptr;
    try {
      made = last_ = make_shown(core);
    } catch (const std::exception&) {
      made = &unshown_.emplace_front();
    }
    slot.store(made, std::memory_order_release);
    return made;
  } catch (const std::exception&) {
    return nullptr;
  }
}

tallies* counters::make_words(window_core& core) noexcept {
  tallies* const made = make_mine(core);
  // Where threads take turns, the first one's is everybody's.
  if (core.agreed.counted == counting::by_process && of_process_ == nullptr) of_process_ = made;
  return words(core.agreed.counted);
}

window_statistics counters::read(const window_core& core) const noexcept {
  window_statistics sum;
  for (const std::atomic<tallies*>& one : by_thread_)
    if (const tallies* const t = one.load(std::memory_order_acquire)) add(sum, *t);
  sum.agent_wakes = line_of_this_process(core).bell.wakes.load(std::memory_order_relaxed);
  return sum;
}

void counters::close(window_core& core) noexcept {
  release_pages_of_the_dead(core);
  if (page_ == 0) return;
  core.group->session().extension<page_list>().remove(core, page_);
  release_page(core, std::exchange(page_, 0));
}

void count_first(window_core& core, operation_kind k, access_route r, std::uint64_t bytes,
                 std::uint64_t n) noexcept {
  ORIEL_PROBE4(operation, k, r, bytes, n);
  if (tallies* const mine = core.counts.make_mine(core)) mine->note(k, r, bytes, n);
}

errc count_word_slowly(window_core& core, operation_kind k, rank r, std::size_t bytes) noexcept {
  if (core.agreed.counted == counting::off) return errc::success;
  count_first(core, k, counted_by(core, r), bytes, 1);
  core.counts.make_words(core);
  return errc::success;
}

void add(window_statistics& to, const tallies& t) noexcept {
  for (std::size_t k = 0; k < operation_kinds; ++k) {
    for (std::size_t r = 0; r < access_routes; ++r)
      to.operations[k][r] += {t.cells[k][r].operations.read(), t.cells[k][r].bytes.read()};
    for (const auto r : {access_route::self, access_route::load_store})
      for (std::size_t size = 0; size < word_sizes; ++size) {
        const std::uint64_t n = t.words[k][size][r == access_route::self ? 0 : 1].read();
        to.operations[k][static_cast<std::size_t>(r)] += {n, n << size};
        to.by_size[0] += n;
      }
  }
  for (std::size_t c = 0; c < size_classes; ++c) to.by_size[c] += t.sizes[c].read();
  for (std::size_t c = 0; c < wait_causes; ++c) {
    to.waits[c].times += t.waits[c].times.read();
    to.waits[c].time += std::chrono::nanoseconds(t.waits[c].nanoseconds.read());
  }
  to.packets += t.packets.read();
  to.packed += t.packed.read();
  to.retries += t.retries.read();
  to.messages += t.messages.read();
}

}  // namespace oriel::win
