// The book of what a rank exposes: against an oracle, read by other processes while its owner
// changes it, and left behind by an owner that is killed at any moment.
//
// ORIEL_TEST_SEED repeats a run.
#include "win/segment_book.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <map>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "oriel/detail/window_view.hpp"
#include "tests/support/job.hpp"
#include "tests/support/seed.hpp"

namespace oriel::testing {
namespace {

using sessions::node_memory;
using win::segment_book;
using win::segment_book_owner;
using win::segment_book_state;
using win::segment_record;
using word = std::uint64_t;

word seed() {
  static const word chosen = [] {
    const word s = testing::seed();
    std::fprintf(stderr, "ORIEL_TEST_SEED=%llu\n", static_cast<unsigned long long>(s));
    return s;
  }();
  return chosen;
}

// Node memory with one book, and what a test's processes exchange.
struct shared_book {
  struct notes {
    segment_book_state state;
    std::atomic<word> begun, ended;  // changes of the book
    std::atomic<int> stop, ready, wrong;
  };

  std::unique_ptr<node_memory> memory = node_memory::make(8, 0);
  std::uint64_t at = memory->allocate(sizeof(notes), 64);

  [[nodiscard]] notes& in(node_memory& m) const { return *reinterpret_cast<notes*>(m.base() + at); }
  [[nodiscard]] notes& here() const { return in(*memory); }
  [[nodiscard]] segment_book book() const { return {*memory, here().state}; }

  // Runs `body(memory, notes)` in a process of its own, which ends with it; `place` of 1 to 7.
  template <class Body>
  pid_t elsewhere(int place, Body body) const {
    const int maker = getpid();
    const pid_t child = fork();
    if (child != 0) return child;
    alarm(60);
    int code = 1;
    try {
      const auto mine = node_memory::open(maker, memory->file(), place);
      body(*mine, in(*mine));
      code = ::testing::Test::HasFailure() ? 1 : 0;
    } catch (const std::exception& e) {
      std::fprintf(stderr, "process %d: %s\n", place, e.what());
    }
    _exit(code);
  }
};

void expect_ended_well(pid_t child) {
  int how = 0;
  waitpid(child, &how, 0);
  EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0) << how;
}

// What the books of these tests hold, kept in the plainest way: by displacement.
struct oracle {
  std::map<word, segment_record> records;
  word next_first = 0, next_handle = 0;
  bool by_address = false;

  [[nodiscard]] bool overlaps(word address, word bytes, word extent) const {
    for (const auto& [first, r] : records)
      if (address < r.address + r.count * extent && r.address < address + bytes) return true;
    return false;
  }
  [[nodiscard]] bool exposes(word address, word bytes, word extent) const {
    for (word b = address; b < address + bytes; ++b)
      if (!overlaps(b, 1, extent)) return false;
    return true;
  }
  [[nodiscard]] std::optional<segment_record> find(word first, word count, word extent) const {
    auto r = records.upper_bound(first);
    if (r == records.begin()) return std::nullopt;
    segment_record all = (--r)->second;
    if (first > all.first + all.count) return std::nullopt;
    while (first + count > all.first + all.count) {
      if (++r == records.end()) return std::nullopt;
      const segment_record& next = r->second;
      const bool unmapped = all.offset == detail::unmapped;
      if (next.first != all.first + all.count || next.address != all.address + all.count * extent ||
          next.offset !=
              (unmapped ? all.offset : all.offset + static_cast<std::int64_t>(all.count * extent)))
        return std::nullopt;
      all.count += next.count;
    }
    return all;
  }
};

void expect_same(const std::optional<segment_record>& got,
                 const std::optional<segment_record>& wanted) {
  ASSERT_EQ(got.has_value(), wanted.has_value());
  if (!got) return;
  EXPECT_EQ(got->first, wanted->first);
  EXPECT_EQ(got->count, wanted->count);
  EXPECT_EQ(got->offset, wanted->offset);
  EXPECT_EQ(got->address, wanted->address);
}

// One random change of the book and the oracle. Buffers lie on a coarse grid of `places`, so that
// some overlap and some follow each other.
void change(std::mt19937_64& random, segment_book_owner& owner, oracle& known, word places,
            word most_live, word extent) {
  const bool takes = known.records.size() < most_live && random() % 5 < 3;
  if (takes || known.records.empty()) {
    const word address = (random() % places + 1) * 8 * extent;
    const word count = 1 + random() % 9;  // 9 reach into the next place
    const std::int64_t offset =
        random() % 2 == 0 ? detail::unmapped : static_cast<std::int64_t>(address + (1u << 20));
    segment_record added;
    const errc expected =
        known.overlaps(address, count * extent, extent) ? errc::rma_attach : errc::success;
    ASSERT_EQ(owner.add(address, offset, count, extent, added), expected);
    if (expected != errc::success) return;
    const word first = known.by_address ? address / extent : known.next_first;
    EXPECT_EQ(added.first, first);
    EXPECT_EQ(added.handle, known.next_handle);
    known.records[first] = {first, count, offset, address, known.next_handle++};
    known.next_first += count;
  } else {
    auto victim =
        std::next(known.records.begin(), static_cast<long>(random() % known.records.size()));
    ASSERT_EQ(owner.remove(victim->second.handle), errc::success);
    ASSERT_EQ(owner.remove(victim->second.handle), errc::rma_attach);
    known.records.erase(victim);
  }
}

class SegmentBook : public ::testing::TestWithParam<bool> {};  // by address?

TEST_P(SegmentBook, DoesWhatASortedMapDoes) {
  const bool by_address = GetParam();
  for (const word extent : {word{1}, word{8}}) {
    std::mt19937_64 random(seed());
    const shared_book s;
    const segment_book book = s.book();
    const std::size_t before = s.memory->used();
    {
      segment_book_owner owner(*s.memory, s.here().state, by_address);
      oracle known;
      known.by_address = by_address;
      EXPECT_FALSE(book.find(0, 0, extent));
      for (int i = 0; i < 12'000; ++i) {
        // The number of buffers rises to a peak and falls to nothing, and once more.
        const word most_live = i % 6000 < 3000 ? 1500 : i % 6000 > 5500 ? 0 : 20;
        change(random, owner, known, 3000, most_live, extent);
        ASSERT_FALSE(HasFailure()) << "change " << i;
        const word highest = by_address ? 3010 * 8 : known.next_first + 10;
        const word first = random() % highest, count = random() % 3 == 0 ? 0 : random() % 20;
        expect_same(book.find(first, count, extent), known.find(first, count, extent));
        const word address = random() % (3010 * 8 * extent), bytes = random() % (12 * extent);
        ASSERT_EQ(owner.exposes(address, bytes, extent), known.exposes(address, bytes, extent));
        if (i % 500 != 0) continue;
        const auto all = book.all();
        ASSERT_EQ(all.size(), known.records.size());
        auto wanted = known.records.begin();
        for (const segment_record& r : all) {
          expect_same(r, wanted->second);
          EXPECT_EQ(r.handle, (wanted++)->second.handle);
        }
      }
      EXPECT_EQ(owner.add(0, detail::unmapped, 1, extent, known.records[0]), errc::rma_attach);
      EXPECT_EQ(owner.add(64, detail::unmapped, 0, extent, known.records[0]), errc::rma_attach);
    }
    EXPECT_EQ(s.memory->used(), before) << "tables that are left";
  }
}

// Everything in a record follows from its address, so that a reader knows a mixture of two.
constexpr word grain = 64;
std::int64_t offset_for(word address) {
  return address / grain % 2 == 0 ? detail::unmapped : static_cast<std::int64_t>(address * 3);
}
word count_for(word address) {
  return 1 + address / grain % 50;
}
bool is_whole(const segment_record& r) {
  return r.address % grain == 0 && r.count == count_for(r.address) &&
         r.offset == offset_for(r.address);
}

// Looks for buffers that stay, until it is stopped: it finds them always, and never a record that
// was not there. Others come and go meanwhile.
void read_on(node_memory& memory, shared_book::notes& n, const std::vector<segment_record>& staying,
             word highest, word own_seed) {
  const segment_book book(memory, n.state);
  std::mt19937_64 random(own_seed);
  const auto fail = [&n](const char* what) {
    std::fprintf(stderr, "a reader saw %s\n", what);
    n.wrong = 1;
  };
  n.ready.fetch_add(1);
  while (n.stop == 0 && n.wrong == 0) {
    const segment_record& known = staying[random() % staying.size()];
    const auto found = book.find(known.first + random() % known.count, 1, 1);
    if (!found || found->address != known.address || !is_whole(*found))
      fail("one that stays as another, or not at all");
    const auto any = book.find(random() % highest, 1, 1);
    if (any && !is_whole(*any)) fail("a mixture");
    if (random() % 64 != 0) continue;
    word end = 0;
    auto next = staying.begin();
    for (const segment_record& r : book.all()) {
      if (!is_whole(r) || r.first < end) fail("a list that is a mixture");
      end = r.first + r.count;
      if (next != staying.end() && r.first == next->first) ++next;
    }
    if (next != staying.end()) fail("a list without some that stay");
  }
}

// Read by processes of their own, and by a thread of the owner's, as fast as they can.
TEST_P(SegmentBook, IsReadWhileItsOwnerChangesIt) {
  const bool by_address = GetParam();
  constexpr word stay = 500, processes = 2;
  const shared_book s;
  segment_book_owner owner(*s.memory, s.here().state, by_address);
  std::vector<segment_record> staying(stay);
  // Between two that stay is room for 30 that come and go.
  for (word i = 0; i < stay; ++i) {
    const word address = (i * 31 + 1) * grain;
    ASSERT_EQ(owner.add(address, offset_for(address), count_for(address), 1, staying[i]),
              errc::success);
  }
  constexpr word highest = stay * 31 * grain;
  std::vector<pid_t> children;
  for (word i = 1; i <= processes; ++i)
    children.push_back(
        s.elsewhere(static_cast<int>(i), [&](node_memory& memory, shared_book::notes& n) {
          read_on(memory, n, staying, highest, seed() + i);
        }));
  std::thread reader([&] { read_on(*s.memory, s.here(), staying, highest, seed() + 9); });
  while (s.here().ready != processes + 1) std::this_thread::yield();
  std::mt19937_64 random(seed());
  std::vector<segment_record> passing;
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(1500);
  for (word i = 0; s.here().wrong == 0; ++i) {
    if (i % 256 == 0 && std::chrono::steady_clock::now() > end) break;
    if (passing.size() < 3000 && random() % 2 == 0) {
      const word address = (random() % (stay * 31) + 1) * grain;
      segment_record r;
      if (owner.add(address, offset_for(address), count_for(address), 1, r) == errc::success)
        passing.push_back(r);
    } else if (!passing.empty()) {
      std::swap(passing[random() % passing.size()], passing.back());
      ASSERT_EQ(owner.remove(passing.back().handle), errc::success);
      passing.pop_back();
    }
  }
  s.here().stop = 1;
  reader.join();
  for (const pid_t child : children) expect_ended_well(child);
  EXPECT_EQ(s.here().wrong.load(), 0);
}

// The owner is killed while it attaches and detaches. Its book can be read as it was before or
// after the change that it was at.
TEST_P(SegmentBook, IsReadableAfterItsOwnerWasKilled) {
  const bool by_address = GetParam();
  constexpr int kills = 30;
  for (int round = 0; round < kills; ++round) {
    const shared_book s;
    const auto script = [by_address, round](segment_book_owner& owner, oracle& known, auto each) {
      std::mt19937_64 random(seed() + static_cast<word>(round));
      known.by_address = by_address;
      for (word i = 0; each(i); ++i) change(random, owner, known, 20'000, 2000, 1);
    };
    const pid_t writer = s.elsewhere(1, [&](node_memory& memory, shared_book::notes& n) {
      segment_book_owner owner(memory, n.state, by_address);
      oracle known;
      script(owner, known, [&n](word i) {
        n.ended = i;
        n.ready = i > 1000 ? 1 : 0;
        n.begun = i + 1;
        return true;
      });
    });
    while (s.here().ready == 0) std::this_thread::sleep_for(std::chrono::microseconds(100));
    std::this_thread::sleep_for(
        std::chrono::microseconds(std::mt19937_64(seed() + round)() % 3000));
    kill(writer, SIGKILL);
    waitpid(writer, nullptr, 0);
    // The same changes again, as far as they came: the book is the one or the other.
    const word ended = s.here().ended, begun = s.here().begun;
    const shared_book again;
    segment_book_owner owner(*again.memory, again.here().state, by_address);
    std::vector<std::vector<segment_record>> allowed;
    oracle known;
    script(owner, known, [&](word i) {
      if (i == ended || i == begun) {
        allowed.emplace_back();
        for (const auto& [first, r] : known.records) allowed.back().push_back(r);
      }
      return i < begun;
    });
    std::vector<segment_record> got;
    // A reader that waits for the dead is ended, in a process of its own.
    const pid_t reader = s.elsewhere(2, [&](node_memory& memory, shared_book::notes& n) {
      alarm(5);
      const segment_book book(memory, n.state);
      const auto all = book.all();
      const bool known_state =
          std::any_of(allowed.begin(), allowed.end(), [&](const auto& records) {
            return std::equal(all.begin(), all.end(), records.begin(), records.end(),
                              [](const segment_record& a, const segment_record& b) {
                                return a.first == b.first && a.count == b.count &&
                                       a.address == b.address && a.offset == b.offset &&
                                       a.handle == b.handle;
                              });
          });
      EXPECT_TRUE(known_state) << all.size() << " records, not " << allowed[0].size();
      for (const segment_record& r : all) {
        const auto found = book.find(r.first, 1, 1);
        EXPECT_TRUE(found && found->first == r.first && found->address == r.address);
      }
    });
    expect_ended_well(reader);
    if (HasFailure()) break;
  }
}

INSTANTIATE_TEST_SUITE_P(Displacements, SegmentBook, ::testing::Bool(),
                         [](const auto& p) { return p.param ? "ByAddress" : "InOrder"; });

}  // namespace
}  // namespace oriel::testing
