// Memory that one process exports and another opens (kinds/device_runtime.hpp).
#include <cstdio>

#include "tests/kinds/device_fixture.hpp"
#include "tests/kinds/device_peer.hpp"

namespace oriel::testing {
namespace {

using kinds::residence;

class device_sharing_test : public device_test {
 protected:
  void SetUp() override {
    device_test::SetUp();
    if (IsSkipped() || HasFatalFailure()) return;
    if (const std::string why = runtime().lacks_ipc(0, residence::device); !why.empty())
      GTEST_SKIP() << why;
    if (std::getenv("ORIEL_TEST_REFUSE") != nullptr) GTEST_SKIP() << "handles are refused";
  }

  static peer_request open_of(const kinds::ipc_ticket& ticket) {
    peer_request r;
    r.verb = peer_verb::open;
    r.ticket = ticket;
    return r;
  }
  static peer_request access(peer_verb verb, std::uint64_t opened, std::uint64_t offset = 0,
                             std::uint64_t value = 0) {
    peer_request r;
    r.verb = verb;
    r.opened = opened;
    r.offset = offset;
    r.value = value;
    return r;
  }
};

TEST_F(device_sharing_test, ThePeerReadsAndWritesWhatWeHave) {
  device_peer peer;
  ASSERT_EQ(peer.ask({}).code, errc::success);
  const auto m = allocate(residence::device, 100000);
  write_value(m.get() + 4096 + 8, std::uint64_t{42});
  // Of a pointer within the allocation.
  const auto opened = peer.ask(open_of(runtime().export_memory(m.get() + 4096)));
  ASSERT_EQ(opened.code, errc::success);
  EXPECT_EQ(peer.ask(access(peer_verb::read, opened.value, 8)).value, 42u);
  ASSERT_EQ(peer.ask(access(peer_verb::write, opened.value, 16, 43)).code, errc::success);
  EXPECT_EQ(read_value<std::uint64_t>(m.get() + 4096 + 16), 43u);
  EXPECT_EQ(peer.ask(access(peer_verb::close, opened.value)).code, errc::success);
}

TEST_F(device_sharing_test, WeReadAndWriteWhatThePeerHas) {
  device_peer peer;
  peer_request wanted = access(peer_verb::allocate, 0, 64, std::size_t{3} << 20);
  const auto there = peer.ask(wanted);
  ASSERT_EQ(there.code, errc::success);
  const int mine = runtime().devices() - 1;  // not the peer's where there are several
  std::byte* const opened = runtime().open(there.ticket, mine);
  ASSERT_NE(opened, nullptr);
  const auto sent = pattern(1 << 20, 9);
  EXPECT_EQ(runtime().copy(opened, sent.data(), sent.size()), errc::success);
  EXPECT_EQ(read(opened, sent.size()), sent);
  const auto found = runtime().classify(opened);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->where, residence::device);
  runtime().close(there.ticket, opened);
  EXPECT_EQ(peer.ask(access(peer_verb::free_again, 0)).code, errc::success);
}

// Within a device always; over a link where the driver says that it has native atomics, and nowhere
// where it was not asked, because the device is not this process's to see.
TEST_F(device_sharing_test, AtomicsOverLinksAreAsTheDriverSays) {
  device_peer peer;
  const auto there = peer.ask(access(peer_verb::allocate, 0, 64, std::size_t{3} << 20));
  ASSERT_EQ(there.code, errc::success);
  EXPECT_EQ(runtime().lacks_link_atomics(there.ticket.device, there.ticket), "");
  kinds::ipc_ticket hidden = there.ticket;
  hidden.on = {};
  EXPECT_NE(runtime().lacks_link_atomics(0, hidden).find("does not see"), std::string::npos);
  hidden.on.fill(std::byte{7});
  EXPECT_NE(runtime().lacks_link_atomics(0, hidden).find("does not see"), std::string::npos);
  EXPECT_NE(runtime().lacks_link_atomics(99, there.ticket), "");
  if (emulated()) {
    const int other = 1 - there.ticket.device;
    EXPECT_EQ(runtime().lacks_link_atomics(other, there.ticket), "");
    EXPECT_EQ(runtime().lacks_host_atomics(other, residence::host), "");
    EXPECT_EQ(runtime().lacks_host_atomics(other, residence::managed), "");
    const scoped_variable refused("ORIEL_TEST_REFUSE", "peer_atomics,host_atomics");
    const std::string why = runtime().lacks_link_atomics(other, there.ticket);
    EXPECT_NE(why.find("from device " + std::to_string(other)), std::string::npos) << why;
    EXPECT_EQ(runtime().lacks_link_atomics(there.ticket.device, there.ticket), "");
    EXPECT_NE(runtime().lacks_host_atomics(other, residence::host), "");
    EXPECT_EQ(runtime().lacks_host_atomics(other, residence::managed), "");
    EXPECT_NE(runtime().lacks_host_atomics(99, residence::host), "");
  }
  EXPECT_EQ(peer.ask(access(peer_verb::free_again, 0)).code, errc::success);
}

TEST_F(device_sharing_test, OneAllocationIsOpenUntilItsLastUserCloses) {
  device_peer peer;
  const auto m = allocate(residence::device, 4096);
  const auto first = peer.ask(open_of(runtime().export_memory(m.get())));
  const auto second = peer.ask(open_of(runtime().export_memory(m.get() + 1024)));
  ASSERT_EQ(first.code, errc::success);
  ASSERT_EQ(second.code, errc::success);
  ASSERT_EQ(peer.ask(access(peer_verb::close, first.value)).code, errc::success);
  EXPECT_EQ(peer.ask(access(peer_verb::write, second.value, 0, 5)).code, errc::success);
  EXPECT_EQ(read_value<std::uint64_t>(m.get() + 1024), 5u);
  ASSERT_EQ(peer.ask(access(peer_verb::close, second.value)).code, errc::success);
  // And it can be opened anew.
  const auto third = peer.ask(open_of(runtime().export_memory(m.get())));
  ASSERT_EQ(third.code, errc::success);
  EXPECT_EQ(peer.ask(access(peer_verb::read, third.value, 1024)).value, 5u);
  EXPECT_EQ(peer.ask(access(peer_verb::close, third.value)).code, errc::success);
}

// As between containers, where every program may be process 1: it is left to the driver, which
// refuses this one, whether it is the caller's.
TEST_F(device_sharing_test, ATicketOfTheSameNumberInAnotherContainerIsAnothers) {
  const auto m = allocate(residence::device, 100000);
  kinds::ipc_ticket ticket = runtime().export_memory(m.get());
  ++ticket.process.numbered_in;
  try {
    runtime().open(ticket, 0);
    ADD_FAILURE() << "it was opened";
  } catch (const error& refused) {
    EXPECT_EQ(refused.code(), errc::rma_shared) << refused.what();
  }
}

TEST_F(device_sharing_test, RefusesItsOwnTickets) {
  const auto m = allocate(residence::device, 4096);
  const auto ticket = runtime().export_memory(m.get());
  EXPECT_EQ(ticket.process.number, getpid());
  EXPECT_THROW(runtime().open(ticket, 0), error);
}

TEST_F(device_sharing_test, ExportsOnlyItsOwn) {
  int on_the_stack = 0;
  EXPECT_THROW(runtime().export_memory(&on_the_stack), error);
  for (const residence where : {residence::host, residence::managed}) {
    if (!runtime().lacks(where).empty() || runtime().lacks_ipc(0, where).empty()) continue;
    const auto m = allocate(where, 4096);
    EXPECT_THROW(runtime().export_memory(m.get()), error);
  }
}

TEST_F(device_sharing_test, DoesNotOpenWhatIsFreed) {
  device_peer peer;
  auto m = allocate(residence::device, 4096);
  const auto ticket = runtime().export_memory(m.get());
  m.release();
  if (emulated()) {
    EXPECT_NE(peer.ask(open_of(ticket)).code, errc::success);
  }
}

// The two processes' kernels never wait for each other: they may share one device by turns.
TEST_F(device_sharing_test, AtomicsOfTwoProcessesLoseNoUpdate) {
  if (const std::string why = runtime().lacks_atomics(0); !why.empty()) GTEST_SKIP() << why;
  constexpr std::uint64_t times = 2000;
  device_peer peer;
  const auto m = allocate(residence::device, 4096);
  const auto opened = peer.ask(open_of(runtime().export_memory(m.get())));
  ASSERT_EQ(opened.code, errc::success);
  peer.send(access(peer_verb::add, opened.value, 8, times));
  std::uint64_t before = 0;
  std::uint64_t sum_before = 0;
  const kinds::atomic_task task = adding_one(m.get() + 8, &before);
  for (std::uint64_t i = 0; i < times; ++i) {
    ASSERT_EQ(runtime().apply(0, task), errc::success);
    sum_before += before;
  }
  const auto theirs = peer.receive();
  EXPECT_EQ(theirs.code, errc::success);
  EXPECT_EQ(read_value<std::uint64_t>(m.get() + 8), 2 * times);
  // Every value from 0 to 2·times - 1 was fetched once, by one or the other.
  EXPECT_EQ(sum_before + theirs.value, times * (2 * times - 1));
  EXPECT_EQ(peer.ask(access(peer_verb::close, opened.value)).code, errc::success);
}

}  // namespace
}  // namespace oriel::testing
