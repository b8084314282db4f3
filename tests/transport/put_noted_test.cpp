// Writes that bring a notification: the bytes are there when it is. Four ranks on two pretended
// nodes, each of which writes to one of the other node.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <vector>

#include "session/team/team_state.hpp"
#include "tests/support/job.hpp"
#include "transport/fabric.hpp"

namespace oriel::transport {
namespace {

constexpr std::uint64_t name_of_memory = 0xda7a;

// What is told of a write of `bytes`: their number in 1024, and in `amount` their value.
constexpr std::array<std::size_t, 5> lengths{1024, 17 << 10, 64 << 10, 200 << 10, 1 << 20};

class noted_service final : public service {
 public:
  explicit noted_service(int awaited) : awaited_(awaited), memory(lengths.back()) {}
  void serve(const message&) noexcept override {}
  void noted(int from, std::uint32_t counter, std::uint32_t amount) noexcept override {
    const auto bytes = std::size_t{counter} << 10;
    if (from != awaited_ || bytes > memory.size() ||
        std::any_of(memory.data(), memory.data() + bytes,
                    [amount](std::byte b) { return b != static_cast<std::byte>(amount); }))
      ++wrong;
    ++came;
  }

 private:
  int awaited_;

 public:
  std::vector<std::byte> memory;
  std::atomic<int> came{0}, wrong{0};
};

TEST(PutNoted, BringsItsNoteWhenItsBytesAreThere) {
  fabric& way = fabric_of(testing::job().state()->job());
  ASSERT_EQ(way.notices(), notice_way::with_data) << way.provider();
  const int p = testing::ranks(), other = (testing::me() + p / 2) % p;
  noted_service here(other);
  const auto exposed = way.expose(here.memory.data(), here.memory.size(), name_of_memory, {});
  struct place {
    std::uint64_t key, base;
    std::uint32_t number;
  };
  way.add_service(name_of_memory, here);
  const std::vector<place> places =
      testing::world().allgather(place{exposed->key, exposed->base, way.number_for(here, other)});
  const place& there = places[static_cast<std::size_t>(other)];
  std::vector<std::byte> bytes(lengths.back());
  int sent = 0;
  for (std::uint32_t turn = 1; turn < 60; ++turn) {
    const std::size_t n = lengths[turn % lengths.size()];
    std::fill_n(bytes.data(), n, static_cast<std::byte>(turn));
    const completion_data note{there.number, static_cast<std::uint32_t>(n >> 10), turn};
    ASSERT_TRUE(way.carries(note, n));
    pending_ops ops;
    ASSERT_EQ(way.put_noted({other, there.base, there.key}, bytes.data(), n, note, ops),
              errc::success);
    ASSERT_EQ(way.wait(ops, other, testing::world().state()->watch()), errc::success);
    ++sent;
    // The next one would change what this one's note is compared with.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (here.came < sent && std::chrono::steady_clock::now() < until) way.progress();
    ASSERT_TRUE(testing::world().barrier().ok());
  }
  EXPECT_EQ(here.came, sent);
  EXPECT_EQ(here.wrong, 0);
  way.remove_service(name_of_memory);
}

}  // namespace
}  // namespace oriel::transport
