// Bytes between memory of devices and of hosts, moved by libfabric, where it registers that memory;
// and where it does not, that it refuses instead of touching it. Two ranks on two pretended nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

#include "oriel/errc.hpp"
#include "session/session_state.hpp"
#include "tests/transport/libfabric_at_hand.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

using kinds::vendor;
constexpr std::size_t bytes = 1 << 18;
constexpr std::uint64_t group = 77;  // no team has this name

class patient final : public sync::peer_watch {
 public:
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return std::chrono::seconds(20);
  }
};
const patient watch;

struct where {
  std::uint64_t key, base;
};

// Memory of either side, filled and read through the vendor.
class buffer {
 public:
  buffer(kinds::device_runtime& runtime, bool on_device) : runtime_(runtime) {
    if (on_device) {
      place_ = device_place{runtime.whose(), kinds::residence::device, 0};
      at_ = runtime.allocate(0, kinds::residence::device, bytes);
    } else {
      host_.resize(bytes);
      at_ = host_.data();
    }
  }
  ~buffer() {
    if (place_) runtime_.free(at_);
  }
  buffer(const buffer&) = delete;
  buffer& operator=(const buffer&) = delete;

  [[nodiscard]] std::byte* at() const { return at_; }
  [[nodiscard]] const device_place* place() const { return place_ ? &*place_ : nullptr; }
  [[nodiscard]] const std::optional<device_place>& optional_place() const { return place_; }
  void fill(int seed) {
    const std::vector<std::byte> wanted = pattern(seed);
    ASSERT_EQ(runtime_.copy(at_, wanted.data(), bytes), errc::success) << runtime_.last_failure();
  }
  [[nodiscard]] std::vector<std::byte> contents() const {
    std::vector<std::byte> found(bytes);
    EXPECT_EQ(runtime_.copy(found.data(), at_, bytes), errc::success) << runtime_.last_failure();
    return found;
  }
  static std::vector<std::byte> pattern(int seed) {
    std::vector<std::byte> made(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
      made[i] =
          static_cast<std::byte>((i * 7 + (i >> 8) * 13 + static_cast<std::size_t>(seed)) % 251);
    return made;
  }

 private:
  kinds::device_runtime& runtime_;
  std::optional<device_place> place_;
  std::vector<std::byte> host_;
  std::byte* at_ = nullptr;
};

detail::session_state& job() {
  static detail::session_state opened{session_options{}};
  return opened;
}

// One for all vendors: who closes a fabric tells the others that it leaves the job.
libfabric& fabric() {
  static const auto memory = sessions::node_memory::make(1, 0);
  static const std::unique_ptr<sessions::messenger> opened =
      sessions::open_messenger(job().launcher(), job().job(), *memory, sessions::read_environment(),
                               {""}, memory_kind_list::parse("cuda,rocm,level_zero"));
  return static_cast<libfabric&>(*opened);
}

class Transfer : public ::testing::TestWithParam<vendor> {
 protected:
  Transfer() : me_(job().job().rank()) {}
  [[nodiscard]] int other() const { return 1 - me_; }

  // Sends the other rank `mine`, and returns its own: a barrier too.
  template <class T>
  T exchange(const T& mine) {
    const sessions::message_tag tag{group, turn_++, 0};
    EXPECT_EQ(fabric().send(other(), tag, std::as_bytes(std::span(&mine, 1))), errc::success);
    std::vector<std::byte> told;
    EXPECT_EQ(fabric().receive(other(), tag, told, watch), errc::success);
    T theirs{};
    if (told.size() == sizeof theirs) std::memcpy(&theirs, told.data(), sizeof theirs);
    return theirs;
  }

  void move(kinds::device_runtime& runtime, bool mine_on_device, bool window_on_device) {
    buffer window(runtime, window_on_device), source(runtime, mine_on_device),
        sink(runtime, mine_on_device);
    window.fill(100 + me_);
    source.fill(me_);
    const memory_region region =
        fabric().port().expose(window.at(), bytes, fabric().key_of(turn_), window.optional_place());
    const where there = exchange(where{region.key(), fabric().port().base_for_peers(window.at())});
    pending_ops ops;
    const remote_place start{other(), there.base, there.key};
    ASSERT_EQ(fabric().get(start, sink.at(), bytes, ops, nullptr, sink.place()), errc::success);
    ASSERT_EQ(fabric().wait(ops, other(), watch), errc::success);
    EXPECT_EQ(sink.contents(), buffer::pattern(100 + other())) << "got";
    exchange(0);
    // One element, what may be inlined, and more than any provider inlines: all under way at once
    // and from one place, so that each needs a registration of its own.
    for (const std::size_t n : {std::size_t{8}, std::size_t{4096}, bytes})
      ASSERT_EQ(fabric().put(start, source.at(), n, false, ops, nullptr, source.place()),
                errc::success);
    ASSERT_EQ(fabric().wait(ops, other(), watch), errc::success);
    exchange(0);
    EXPECT_EQ(window.contents(), buffer::pattern(other())) << "put";
    exchange(0);
  }

 private:
  int me_;
  inline static std::uint32_t turn_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Of, Transfer, ::testing::ValuesIn(kinds::all_vendors),
                         [](const auto& i) { return std::string(kinds::name(i.param)); });

TEST_P(Transfer, GoesBothWaysOrIsRefused) {
  kinds::device_runtime* const runtime = kinds::runtime(GetParam());
  const std::string& why_not = fabric().registers(GetParam());
  EXPECT_EQ(why_not.empty(), runtime != nullptr && fabric().provider() == "shm" &&
                                 testing::libfabric_is_built_for(GetParam()))
      << why_not;
  if (why_not.empty()) {
    for (const bool mine : {true, false})
      for (const bool window : {true, false}) move(*runtime, mine, window);
  } else if (runtime != nullptr && fabric().provider() == "shm") {
    const buffer window(*runtime, true);
    EXPECT_THROW((void)fabric().port().expose(window.at(), bytes, 1, window.optional_place()),
                 error);
  }
}

}  // namespace
}  // namespace oriel::transport
