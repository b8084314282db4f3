// Who serves a notification from another node: the thread that waits for it. The way to the other
// node is a stand-in here, which has no agent.
#include <gtest/gtest.h>

#include <array>
#include <thread>
#include <vector>

#include "tests/support/job.hpp"
#include "tests/win/stand_in_fabric.hpp"
#include "win/construct/construct.hpp"
#include "win/construct/dismantle.hpp"
#include "win/route/remote.hpp"
#include "win/route/remote_window.hpp"

namespace oriel::win {
namespace {

// Its messages arrive only while a thread looks for them here.
class unattended_fabric final : public stand_in_fabric {
 public:
  void add_service(std::uint64_t, transport::service& s) override { service_ = &s; }
  [[nodiscard]] transport::service& service() noexcept { return *service_; }
  void remove_service(std::uint64_t) noexcept override { service_ = nullptr; }
  errc put(const transport::remote_place&, const void*, std::size_t, bool, pending_ops& ops,
           pending_ops*, const transport::device_place*) noexcept override {
    ops.begin();
    return errc::success;
  }
  errc get(const transport::remote_place&, void*, std::size_t, pending_ops& ops, pending_ops*,
           const transport::device_place*) noexcept override {
    ops.begin();
    return errc::success;
  }
  errc request(int, transport::message_head, std::span<const std::byte>, void*, std::size_t,
               pending_ops& ops, pending_ops*) noexcept override {
    ops.begin();
    return errc::success;
  }
  errc wait(pending_ops& ops, int, const sync::peer_watch&) noexcept override {
    if (!ops.idle()) happened += "arrived ";
    while (!ops.idle()) ops.end(errc::success);
    return ops.take_failure();
  }
  errc tell(int, transport::message_head, std::span<const std::byte>,
            const pending_ops* behind) noexcept override {
    if (behind != nullptr && fails) return errc::peer_failed;
    happened += "told ";
    return errc::success;
  }
  [[nodiscard]] transport::notice_way notices() const noexcept override { return notified; }
  [[nodiscard]] transport::completion how() const noexcept override {
    return transport::completion::delivery;
  }
  errc wait_for(const std::function<bool()>& done, const sync::peer_watch& watch,
                sync::wait_word&) noexcept override {
    ++waits;
    sync::patience_clock clock(watch);
    for (; !done(); sync::wait_ladder::yield()) {
      if (on_its_way.head.kind == transport::message_kind::request) service_->serve(on_its_way);
      on_its_way = {};
      if (!clock.due()) continue;
      if (const errc e = clock.look(); e != errc::success) return e;
    }
    return errc::success;
  }

  void reply(const transport::message_head&, errc outcome,
             std::span<const std::byte>) noexcept override {
    ++replies;
    answered = outcome;
  }

  transport::notice_way notified = transport::notice_way::after_arrival;
  transport::message on_its_way{};
  bool fails = false;  // what is under way, while a message that comes behind it waits to leave
  int waits = 0;
  int replies = 0;
  std::string happened;
  errc answered = errc::success;

 private:
  transport::service* service_ = nullptr;
};

class FarNotify : public ::testing::Test {
 protected:
  explicit FarNotify(assertion_set notified = assertion::notify,
                     transport::notice_way way = transport::notice_way::after_arrival) {
    way_.notified = way;
    const window_options options;
    construction c;
    c.base = datatype::of<std::uint64_t>();
    c.count = 1;
    c.promised = assertion::shared_lock | notified;
    c.options = &options;
    core_ = build(oriel::testing::world(), c);
    core_->routes.remote = std::make_unique<remote_window>(*core_, way_, 1, true);
    core_->routes.remote->open();
  }
  ~FarNotify() override {
    core_->routes.remote->close();
    core_->routes.remote.reset();
    dismantle(std::move(core_)).or_throw();
  }
  template <class Body>
  void send(remote_call call, const Body& body) {
    way_.on_its_way.head.kind = transport::message_kind::request;
    way_.on_its_way.head.call = static_cast<std::uint8_t>(call);
    way_.on_its_way.head.carry(body);
  }
  void serve(remote_call call, const auto& body) {
    send(call, body);
    way_.service().serve(way_.on_its_way);
    way_.on_its_way = {};
  }
  void put() {
    ASSERT_EQ(core_->routes.remote->put(rank{0}, 0, &value_, sizeof value_, nullptr),
              errc::success);
  }
  errc notify() { return notify_remote(*core_, {rank{0}, disp{0}, nullptr, 0, {}}, {}); }
  void put_and_notify() {
    put();
    ASSERT_EQ(notify(), errc::success);
  }
  errc answer_of_flush(std::uint32_t sent) {
    serve(remote_call::acknowledge, acknowledge_request{sent});
    return way_.answered;
  }
  errc await(std::uint64_t at_least) {
    return core_->inner().wait_notify(*core_, 0, at_least, {}, call_site{});
  }

  unattended_fabric way_;
  std::unique_ptr<detail::window_core> core_;
  std::uint64_t value_ = 1;
};

TEST_F(FarNotify, IsServedByTheThreadThatWaitsForIt) {
  for (std::uint64_t n = 1; n <= 3; ++n) {
    send(remote_call::put_notify, notify_request{0, 0});
    EXPECT_EQ(await(n), errc::success);
  }
  EXPECT_EQ(way_.waits, 3);
}

TEST_F(FarNotify, IsServedByTheThreadThatWaitsForAnyOfSeveral) {
  std::array<std::uint64_t, 3> next{1, 1, 1};
  for (const std::uint32_t notified : {1u, 2u, 1u}) {
    send(remote_call::put_notify, notify_request{0, notified});
    std::size_t came = 99;
    EXPECT_EQ(core_->inner().wait_notify_any(*core_, 0, next, &came, {}, call_site{}),
              errc::success);
    EXPECT_EQ(came, notified);
    ++next[came];
  }
  EXPECT_EQ(way_.waits, 3);
}

TEST_F(FarNotify, OfARefusalEndsTheWait) {
  send(remote_call::refuse_notify, refusal_notice{0, 1, errc::not_asserted});
  EXPECT_EQ(await(1), errc::not_asserted);
  core_->clear_failure();
}

TEST_F(FarNotify, AddsItsAmount) {
  serve(remote_call::put_notify, notify_request{0, 0, 5});
  EXPECT_EQ(core_->counter(0, 0).read(), 5);
}

TEST_F(FarNotify, IsAnsweredToAFlushAlone) {
  serve(remote_call::put_notify, notify_request{});
  serve(remote_call::put_notify, notify_request{});
  EXPECT_EQ(way_.replies, 0);
  EXPECT_EQ(answer_of_flush(2), errc::success);
  EXPECT_EQ(way_.replies, 1);
}

TEST_F(FarNotify, OfWhichOneFailedFailsTheNextFlushAlone) {
  serve(remote_call::put_notify, notify_request{0, 1000});
  serve(remote_call::put_notify, notify_request{});
  EXPECT_EQ(answer_of_flush(2), errc::arg);
  serve(remote_call::put_notify, notify_request{});
  EXPECT_EQ(answer_of_flush(3), errc::success);
  EXPECT_EQ(core_->counter(0, 0).read(), 2);
}

TEST_F(FarNotify, ThatWasLostFailsTheNextFlushAlone) {
  serve(remote_call::put_notify, notify_request{});
  EXPECT_EQ(answer_of_flush(3), errc::system);
  serve(remote_call::put_notify, notify_request{});
  EXPECT_EQ(answer_of_flush(4), errc::success);
}

// Another thread's may have left after the flush looked.
TEST_F(FarNotify, MayComeBeforeTheFlushThatDoesNotCountIt) {
  serve(remote_call::put_notify, notify_request{});
  serve(remote_call::put_notify, notify_request{});
  EXPECT_EQ(answer_of_flush(1), errc::success);
  EXPECT_EQ(answer_of_flush(2), errc::success);
}

class OrderedFarNotify : public FarNotify {
 protected:
  OrderedFarNotify() : FarNotify(assertion::notify | assertion::ordered_notify) {}
};

TEST_F(OrderedFarNotify, LeavesWhenWhatWasPutHasArrived) {
  put_and_notify();
  EXPECT_EQ(way_.happened, "arrived told ");
}

// The provider keeps messages behind writes.
class FollowingFarNotify : public FarNotify {
 protected:
  FollowingFarNotify()
      : FarNotify(assertion::notify | assertion::ordered_notify, transport::notice_way::behind) {}
};

TEST_F(FollowingFarNotify, LeavesBehindWhatWasPut) {
  put_and_notify();
  EXPECT_EQ(way_.happened, "told ");
}

TEST_F(FollowingFarNotify, LeavesWhenWhatItMayPassIsComplete) {
  ASSERT_EQ(core_->routes.remote->get(rank{0}, 0, &value_, sizeof value_, nullptr), errc::success);
  EXPECT_EQ(notify(), errc::success);
  EXPECT_EQ(way_.happened, "arrived told ");
  way_.happened.clear();
  for (const std::size_t bytes : {transport::longest_payload, transport::longest_payload + 1}) {
    const std::vector<std::byte> list(bytes);
    ASSERT_EQ(core_->routes.remote->request_runs(rank{0}, remote_call::put_runs, {}, list, nullptr,
                                                 0, nullptr),
              errc::success);
    EXPECT_EQ(notify(), errc::success);
  }
  EXPECT_EQ(way_.happened, "told arrived told ");
}

TEST_F(FollowingFarNotify, DoesNotLeaveBehindWhatHasFailed) {
  put();
  way_.fails = true;
  EXPECT_EQ(notify(), errc::peer_failed);
  EXPECT_EQ(way_.happened, "");
  core_->clear_failure();
}

TEST_F(FarNotify, LeavesAtOnceWithoutThePromise) {
  put_and_notify();
  EXPECT_EQ(way_.happened, "told ");
}

TEST_F(FarNotify, IsNotLookedForAfterOnesOfThisNode) {
  core_->counter(0, 0).add(1);
  EXPECT_EQ(await(1), errc::success);
  EXPECT_EQ(way_.waits, 0) << "it had come";
  for (std::uint64_t n = 2; n <= 3; ++n) {
    std::thread near([this] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      core_->counter(0, 0).add(1);
    });
    EXPECT_EQ(await(n), errc::success);
    near.join();
  }
  EXPECT_LE(way_.waits, 1);
}

}  // namespace
}  // namespace oriel::win
