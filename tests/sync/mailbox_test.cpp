// A request that its owner does not serve in time.
#include "sync/mailbox.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace oriel::sync {
namespace {

class impatient final : public peer_watch {
 public:
  [[nodiscard]] bool any_failed() const noexcept override { return false; }
  [[nodiscard]] bool oversubscribed() const noexcept override { return true; }
  [[nodiscard]] std::optional<std::chrono::milliseconds> patience() const noexcept override {
    return std::chrono::milliseconds(30);
  }
};

struct two_ranks {
  impatient watch;
  std::vector<std::max_align_t> block =
      std::vector<std::max_align_t>(mailbox::bytes(2) / sizeof(std::max_align_t) + 8);
  wait_word bell{};
  mailbox_peers peers{&watch, [](int) { return true; }, [this](int) -> wait_word& { return bell; }};
  std::byte* at =
      reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(block.data()) + 63) / 64 * 64);
  mailbox origin{at, peers, 0, 2};
  mailbox owner{at, peers, 1, 2};

  int served() {
    int n = 0;
    owner.serve_pending([&n](mailbox::slot& s, int from) {
      EXPECT_EQ(from, 0);
      s.head.outcome = errc::success;
      ++n;
    });
    return n;
  }
};

// The origin may have its memory for something else by then.
TEST(Mailbox, AFarRequestThatWasGivenUpIsNotServed) {
  two_ranks t;
  am_request m;
  m.kind = am_kind::accumulate;
  m.is_far = true;
  const far_operands here{1, 2};
  EXPECT_EQ(t.origin.ask(1, m, &here, sizeof here, nullptr, 0), errc::timed_out);
  EXPECT_EQ(t.served(), 0);
  m.is_far = false;
  EXPECT_EQ(t.origin.ask(1, m, &here, sizeof here, nullptr, 0), errc::timed_out);
  EXPECT_EQ(t.served(), 1) << "its operands are in the slot";
}

TEST(Mailbox, AFarRequestThatIsBeingServedIsWaitedFor) {
  two_ranks t;
  am_request m;
  m.kind = am_kind::accumulate;
  m.is_far = true;
  const far_operands here{1, 2};
  std::thread owner([&] {
    int n = 0;
    while (n == 0)
      t.owner.serve_pending([&n](mailbox::slot& s, int) {
        std::this_thread::sleep_for(std::chrono::milliseconds(200));
        s.head.outcome = errc::success;
        ++n;
      });
  });
  EXPECT_EQ(t.origin.ask(1, m, &here, sizeof here, nullptr, 0), errc::success);
  owner.join();
}

}  // namespace
}  // namespace oriel::sync
