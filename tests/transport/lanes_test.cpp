// Short messages that are written into their receivers' memory, among others that are sent: nothing
// passes what it must not. Four ranks on two pretended nodes, in pairs.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "tests/transport/counted_service.hpp"
#include "transport/fabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::uint64_t name_of_service = 0x1a9e5;
constexpr std::size_t long_put = 20000;

class echo_service final : public service {
 public:
  explicit echo_service(fabric& way) : way_(way) {}
  void serve(const message& m) noexcept override { way_.reply(m.head, errc::success, m.payload); }

 private:
  fabric& way_;
};

// The rank's partner, with whom it has spoken often enough to have lanes.
int partner(fabric& way) {
  const int p = testing::ranks(), other = (testing::me() + p / 2) % p;
  echo_service here(way);
  way.add_service(name_of_service, here);
  EXPECT_TRUE(testing::world().barrier().ok());
  for (int i = 0; i < 100; ++i) {
    message_head head;
    head.addressee = name_of_service;
    pending_ops asked;
    EXPECT_EQ(way.request(other, head, {}, nullptr, 0, asked), errc::success);
    EXPECT_EQ(way.wait(asked, other, testing::world().state()->watch()), errc::success);
  }
  EXPECT_TRUE(testing::world().barrier().ok());
  way.remove_service(name_of_service);
  return other;
}

void until(fabric& way, const std::function<bool()>& done) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!done() && std::chrono::steady_clock::now() < end)
    if (!way.progress()) std::this_thread::yield();
}

TEST(Lanes, AreNotPassedByMessagesNorPassThem) {
  constexpr std::uint64_t turns = 3000;
  fabric& way = fabric_of(testing::job().state()->job());
  const int other = partner(way);
  counted_service here;
  way.add_service(name_of_service, here);
  ASSERT_TRUE(testing::world().barrier().ok());
  const std::uint64_t written = way.written_messages();
  constexpr std::array<std::size_t, 13> lengths{0,
                                                16,
                                                8,
                                                17,
                                                longest_payload + 1,
                                                0,
                                                4000,
                                                longest_unordered_payload,
                                                1,
                                                16,
                                                40001,
                                                longest_payload,
                                                longest_unordered_payload - 1};
  std::vector<std::byte> bytes(longest_unordered_payload);
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const std::size_t n = lengths[(turn * turn + turn / 7) % lengths.size()];
    std::fill_n(bytes.data(), n, static_cast<std::byte>(turn));
    message_head head;
    head.addressee = name_of_service;
    head.carry(turn);
    ASSERT_EQ(way.tell(other, head, std::span(bytes).first(n)), errc::success);
    // Few under way at some times, which lanes hold, and many at others.
    const std::uint64_t under_way = turn / 64 % 2 == 0 ? 8 : 100;
    until(way, [&] { return here.arrived + under_way > turn; });
  }
  until(way, [&] { return here.arrived == turns; });
  EXPECT_EQ(here.arrived, turns);
  EXPECT_EQ(here.wrong, 0u);
  EXPECT_GT(way.written_messages(), written + turns / 10);
  ASSERT_TRUE(testing::world().barrier().ok());
  way.remove_service(name_of_service);
}

// Counts messages, each of which says how many notes precede it; and notes, likewise.
class ordered_service final : public service {
 public:
  void serve(const message& m) noexcept override {
    if (m.head.carried<std::uint64_t>() != notes) ++out_of_order;
    ++messages;
  }
  void noted(int, std::uint32_t, std::uint32_t messages_before) noexcept override {
    if (messages_before != messages) ++out_of_order;
    ++notes;
  }
  std::atomic<std::uint64_t> messages{0}, notes{0}, out_of_order{0};
};

TEST(Lanes, AreNotPassedByNotesOfWritesNorPassThem) {
  fabric& way = fabric_of(testing::job().state()->job());
  ASSERT_EQ(way.notices(), notice_way::with_data) << way.provider();
  ordered_service here;
  std::vector<std::byte> memory(long_put);
  const int other = partner(way);
  const auto exposed = way.expose(memory.data(), memory.size(), name_of_service, {});
  way.add_service(name_of_service, here);
  struct place {
    std::uint64_t key, base;
    std::uint32_t number;
  };
  const std::vector<place> places =
      testing::world().allgather(place{exposed->key, exposed->base, way.number_for(here, other)});
  const place& there = places[static_cast<std::size_t>(other)];
  const std::uint64_t written = way.written_messages();
  const std::vector<std::byte> bytes(long_put);
  constexpr std::uint64_t turns = 1000;
  std::uint32_t messages = 0;
  pending_ops ops;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    for (std::uint64_t i = 0; i < turn % 5; ++i, ++messages) {
      message_head head;
      head.addressee = name_of_service;
      head.carry(turn);
      // A long one waits until something has left outside of the lane.
      const std::size_t n = (turn + i) % 3 == 0 ? bytes.size() : 0;
      ASSERT_EQ(way.tell(other, head, std::span(bytes).first(n)), errc::success);
    }
    ASSERT_EQ(way.put_noted({other, there.base, there.key}, bytes.data(), bytes.size(),
                            {there.number, 0, messages}, ops),
              errc::success);
    if (turn % 8 == 0) way.progress();
  }
  until(way, [&] { return here.notes == turns && here.messages == messages; });
  EXPECT_EQ(here.notes, turns);
  EXPECT_EQ(here.messages, messages);
  EXPECT_EQ(here.out_of_order, 0u);
  EXPECT_GT(way.written_messages(), written);
  EXPECT_EQ(way.wait(ops, other, testing::world().state()->watch()), errc::success);
  ASSERT_TRUE(testing::world().barrier().ok());
  way.remove_service(name_of_service);
}

// Ranks that only read of each other would not be offered lanes by their messages.
TEST(Lanes, AreOfferedToWhoReadsOften) {
  fabric& way = fabric_of(testing::job().state()->job());
  const int other = testing::ranks() - 1 - testing::me();  // not the partner of the other tests
  ASSERT_TRUE(testing::world().barrier().ok());
  until(way, [&] { return way.answers_sooner(other, 8); });
  EXPECT_TRUE(way.answers_sooner(other, 16));
  EXPECT_FALSE(way.answers_sooner(other, 17));
  ASSERT_TRUE(testing::world().barrier().ok());
}

// Nothing goes the other way, so that the sender must be told what has been taken.
TEST(Lanes, GoOnWhereAllIsSentOneWay) {
  constexpr std::uint64_t turns = 2000;
  fabric& way = fabric_of(testing::job().state()->job());
  const int other = partner(way);
  const bool sends = testing::me() < other;
  counted_service here;
  way.add_service(name_of_service, here);
  ASSERT_TRUE(testing::world().barrier().ok());
  const std::uint64_t written = way.written_messages();
  for (std::uint64_t turn = 0; sends && turn < turns; ++turn) {
    message_head head;
    head.addressee = name_of_service;
    head.carry(turn);
    ASSERT_EQ(way.tell(other, head), errc::success);
    if (turn % 8 != 7) continue;
    std::this_thread::sleep_for(std::chrono::microseconds(200));
    way.progress();  // what it is told arrives
  }
  until(way, [&] { return sends || here.arrived == turns; });
  ASSERT_TRUE(testing::world().barrier().ok());
  if (sends) {
    EXPECT_GT(way.written_messages(), written + turns / 10);
  }
  EXPECT_EQ(here.arrived, sends ? 0 : turns);
  EXPECT_EQ(here.wrong, 0u);
  way.remove_service(name_of_service);
}

// The same of long messages, more than there is room for.
TEST(Lanes, CarryLongMessagesOneWay) {
  constexpr std::uint64_t turns = 300;
  fabric& way = fabric_of(testing::job().state()->job());
  const int other = partner(way);
  const bool sends = testing::me() < other;
  counted_service here;
  way.add_service(name_of_service, here);
  ASSERT_TRUE(testing::world().barrier().ok());
  const std::uint64_t written = way.written_messages();
  EXPECT_EQ(way.longest_in_order(other), longest_unordered_payload);
  std::vector<std::byte> bytes(longest_unordered_payload);
  for (std::uint64_t turn = 0; sends && turn < turns; ++turn) {
    const std::size_t n = bytes.size() - turn;
    std::fill_n(bytes.data(), n, static_cast<std::byte>(turn));
    message_head head;
    head.addressee = name_of_service;
    head.carry(turn);
    ASSERT_EQ(way.tell(other, head, std::span(bytes).first(n)), errc::success);
  }
  until(way, [&] { return sends || here.arrived == turns; });
  ASSERT_TRUE(testing::world().barrier().ok());
  if (sends) {
    EXPECT_GE(way.written_messages(), written + turns);
  }
  EXPECT_EQ(here.arrived, sends ? 0 : turns);
  EXPECT_EQ(here.wrong, 0u);
  way.remove_service(name_of_service);
}

// Composed where they leave from, by several threads that take more rooms than there are; and so
// answered.
class copying_service final : public service {
 public:
  explicit copying_service(fabric& way) : way_(way) {}
  void serve(const message& m) noexcept override {
    const std::span<std::byte> room = way_.take_room();
    if (room.empty()) return way_.reply(m.head, errc::success, m.payload);
    std::copy(m.payload.begin(), m.payload.end(), room.begin());
    if (m.payload.empty()) way_.give_room(room);
    way_.reply(m.head, errc::success, room.first(m.payload.size()));
  }

 private:
  fabric& way_;
};

TEST(Lanes, CarryWhatIsComposedInRoomsOfTheFabric) {
  constexpr int threads = 3, turns = 60, at_once = 12;
  constexpr std::array<std::size_t, 6> lengths{longest_unordered_payload, 8, 16, 700, 20000, 16000};
  fabric& way = fabric_of(testing::job().state()->job());
  const int other = partner(way);
  copying_service here(way);
  way.add_service(name_of_service, here);
  ASSERT_TRUE(testing::world().barrier().ok());
  const auto& watch = testing::world().state()->watch();
  std::atomic<int> wrong{0}, lent{0};
  const auto ask = [&](int thread) {
    std::vector<std::byte> own(longest_unordered_payload);
    std::vector<std::vector<std::byte>> answers(at_once);
    for (int turn = 0; turn < turns; ++turn) {
      pending_ops asked;
      const auto value = [&](int i) { return static_cast<std::byte>(thread * 77 + turn * 13 + i); };
      for (int i = 0; i < at_once; ++i) {
        const std::size_t n = lengths[static_cast<std::size_t>(turn + i) % lengths.size()];
        const std::span<std::byte> room = way.take_room();
        lent += !room.empty();
        const std::span<std::byte> payload = (room.empty() ? std::span(own) : room).first(n);
        std::fill(payload.begin(), payload.end(), value(i));
        std::vector<std::byte>& answer = answers[static_cast<std::size_t>(i)];
        answer.assign(n, std::byte{0});
        message_head head;
        head.addressee = name_of_service;
        if (way.request(other, head, payload, answer.data(), n, asked) != errc::success) ++wrong;
      }
      if (way.wait(asked, other, watch) != errc::success) ++wrong;
      for (int i = 0; i < at_once; ++i)
        for (const std::byte b : answers[static_cast<std::size_t>(i)]) wrong += b != value(i);
    }
  };
  std::vector<std::thread> asking;
  for (int t = 1; t < threads; ++t) asking.emplace_back(ask, t);
  ask(0);
  for (std::thread& t : asking) t.join();
  ASSERT_TRUE(testing::world().barrier().ok());
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(lent, turns);
  way.remove_service(name_of_service);
}

// All come back, also of requests that are refused.
TEST(Lanes, TakeRoomsBack) {
  fabric& way = fabric_of(testing::job().state()->job());
  const int other = partner(way);
  std::vector<std::span<std::byte>> rooms;
  const auto take_all = [&] {
    for (;;) {
      const std::span<std::byte> room = way.take_room();
      if (room.empty()) return;
      rooms.push_back(room);
    }
  };
  until(way, [&] {
    take_all();
    return rooms.size() == 16;
  });
  ASSERT_EQ(rooms.size(), 16u);
  message_head head;
  head.addressee = ~name_of_service;  // which there is not, so all are refused
  pending_ops asked;
  std::size_t n = 0;
  for (const std::span<std::byte> room : rooms)
    EXPECT_EQ(way.request(other, head, room.first(n += 4000), nullptr, 0, asked), errc::success);
  EXPECT_NE(way.wait(asked, other, testing::world().state()->watch()), errc::success);
  rooms.clear();
  until(way, [&] {
    take_all();
    return rooms.size() == 16;
  });
  EXPECT_EQ(rooms.size(), 16u);
  for (const std::span<std::byte> room : rooms) way.give_room(room);
  ASSERT_TRUE(testing::world().barrier().ok());
}

// More at once than a lane holds, of several threads, both ways.
TEST(Lanes, CarryEachQuestionAndEachAnswerOnce) {
  constexpr int threads = 3, turns = 300, at_once = 20;
  fabric& way = fabric_of(testing::job().state()->job());
  const int other = partner(way);
  echo_service here(way);
  way.add_service(name_of_service, here);
  ASSERT_TRUE(testing::world().barrier().ok());
  const std::uint64_t written = way.written_messages();
  const auto& watch = testing::world().state()->watch();
  std::atomic<int> wrong{0};
  const auto ask = [&](std::uint64_t thread) {
    for (std::uint64_t turn = 0; turn < turns; ++turn) {
      std::array<std::uint64_t, at_once> answers{};
      pending_ops asked;
      const auto question = [&](std::uint64_t i) { return thread << 40 | turn << 20 | i; };
      for (std::uint64_t i = 0; i < at_once; ++i) {
        message_head head;
        head.addressee = name_of_service;
        const std::uint64_t value = question(i);
        if (way.request(other, head, std::as_bytes(std::span(&value, 1)), &answers[i], sizeof value,
                        asked) != errc::success)
          ++wrong;
      }
      if (way.wait(asked, other, watch) != errc::success) ++wrong;
      for (std::uint64_t i = 0; i < at_once; ++i) wrong += answers[i] != question(i);
    }
  };
  std::vector<std::thread> asking;
  for (std::uint64_t t = 1; t < threads; ++t) asking.emplace_back(ask, t);
  ask(0);
  for (std::thread& t : asking) t.join();
  ASSERT_TRUE(testing::world().barrier().ok());
  EXPECT_EQ(wrong, 0);
  EXPECT_GT(way.written_messages(), written + turns);
  way.remove_service(name_of_service);
}

}  // namespace
}  // namespace oriel::transport
