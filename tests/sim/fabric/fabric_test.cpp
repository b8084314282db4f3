// The simulated network alone, through the endpoints that oriel's transport makes of its provider:
// what it promises holds under every seed, and what it does not promise happens under some.
#include <rdma/fi_errno.h>

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "tests/sim/fabric/talk.hpp"

namespace oriel::sim {
namespace {

using namespace std::chrono_literals;

TEST(Fabric, MessagesArriveOnceAndInOrder) {
  constexpr std::uint32_t messages = 40;
  int refused = 0;
  std::set<std::uint64_t> traces;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    provider_traits how = drawn_traits(seed);
    how.wants_registration = false;  // of these buffers
    std::uint32_t heard = 0;
    const part speaks = [&](endpoint& port, ends& known) {
      std::vector<context> contexts(messages);
      std::vector<std::uint32_t> sources(messages);
      for (std::uint32_t i = 0; i < messages; ++i) {
        sources[i] = i;
        refused += until_taken(port, known, [&] {
          return i % 2 == 0 ? port.inject(1, &sources[i], sizeof i)
                            : port.send(1, &sources[i], sizeof i, nullptr, contexts[i]);
        });
      }
      for (std::uint32_t i = 1; i < messages; i += 2) EXPECT_EQ(known.of(port, contexts[i]), 0);
    };
    const part hears = [&](endpoint& port, ends& known) {
      for (; heard < messages; ++heard) {
        std::uint32_t buffer = ~0u;
        context c{};
        until_taken(port, known, [&] { return port.receive(&buffer, sizeof buffer, nullptr, c); });
        EXPECT_EQ(known.of(port, c), 0);
        EXPECT_EQ(buffer, heard);
      }
    };
    const verdict v = talk(seed, how, {speaks, hears});
    ASSERT_EQ(v.how, ending::ended) << "seed " << seed << ": " << v.why;
    EXPECT_EQ(heard, messages);
    traces.insert(v.trace);
  }
  EXPECT_GT(refused, 1000) << "a provider has no room at times";
  EXPECT_EQ(traces.size(), 100u) << "seeds differ";
}

// A word is written, and then a message sent. Returns whether the word is there with the message.
bool write_comes_first(std::uint64_t seed, const provider_traits& how) {
  bool first = false;
  exposed_words there;
  const part writes = [&](endpoint& port, ends& known) {
    await([&] { return there.place.rank == 1; });
    const std::uint64_t value = 42;
    context c{}, s{};
    until_taken(port, known,
                [&] { return port.write(there.place, &value, sizeof value, nullptr, 0, c); });
    until_taken(port, known, [&] { return port.send(1, &value, sizeof value, nullptr, s); });
    EXPECT_EQ(known.of(port, c), 0);
    EXPECT_EQ(known.of(port, s), 0);
  };
  const part looks = [&](endpoint& port, ends& known) {
    const auto open = there.open(port, 1);
    std::uint64_t message = 0;
    context c{};
    until_taken(port, known, [&] { return port.receive(&message, sizeof message, nullptr, c); });
    EXPECT_EQ(known.of(port, c), 0);
    first = there.words[0] == 42;
    await([&] { return known.poll(port), there.words[0] == 42; });
  };
  const verdict v = talk(seed, how, {writes, looks});
  EXPECT_EQ(v.how, ending::ended) << "seed " << seed << ": " << v.why;
  return first;
}

TEST(Fabric, WhatIsNotOrderedIsPassed) {
  int passed = 0;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    EXPECT_TRUE(write_comes_first(seed, strict())) << "seed " << seed;
    passed += write_comes_first(seed, loose()) ? 0 : 1;
  }
  EXPECT_GT(passed, 5);
}

// What a target has when the write's completion says so, where the source changes at once or then.
std::uint64_t written(std::uint64_t seed, provider_traits how, std::uint64_t flags, bool at_once) {
  std::uint64_t found = 0;
  exposed_words there;
  bool done = false;
  const part writes = [&](endpoint& port, ends& known) {
    await([&] { return there.place.rank == 1; });
    std::uint64_t value = 1;
    context c{};
    until_taken(port, known,
                [&] { return port.write(there.place, &value, sizeof value, nullptr, flags, c); });
    if (at_once) value = 2;
    EXPECT_EQ(known.of(port, c), 0);
    found = there.words[0];
    value = 3;
    await([&] { return known.poll(port), there.words[0] != 0; });
    if (at_once) found = there.words[0];
    done = true;
  };
  const part serves = [&](endpoint& port, ends& known) {
    const auto open = there.open(port, 1);
    await([&] { return known.poll(port), done; });
  };
  const verdict v = talk(seed, how, {writes, serves});
  EXPECT_EQ(v.how, ending::ended) << "seed " << seed << ": " << v.why;
  return found;
}

TEST(Fabric, SourcesAreReadLateUnlessInjected) {
  std::set<std::uint64_t> late;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    late.insert(written(seed, loose(), 0, true));
    EXPECT_EQ(written(seed, loose(), FI_INJECT, true), 1u) << "seed " << seed;
  }
  EXPECT_EQ(late, (std::set<std::uint64_t>{1, 2}));
}

TEST(Fabric, OnlyADeliveryThatIsConfirmedIsThere) {
  std::set<std::uint64_t> found;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    for (const provider_traits& how : {strict(), loose()})
      EXPECT_EQ(written(seed, how, FI_DELIVERY_COMPLETE, false), 1u) << "seed " << seed;
    found.insert(written(seed, loose(), 0, false));
  }
  EXPECT_EQ(found, (std::set<std::uint64_t>{0, 1}));
}

TEST(Fabric, ReadsGetWhatIsThereAndWritesBringTheirData) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    exposed_words there;
    bool done = false;
    const part moves = [&](endpoint& port, ends& known) {
      await([&] { return there.place.rank == 1; });
      std::vector<std::uint64_t> got(64);
      context w{}, r{};
      const std::uint64_t value = 9;
      transport::remote_place last = there.place;
      last.address += 63 * sizeof value;
      until_taken(port, known, [&] {
        return port.write(last, &value, sizeof value, nullptr,
                          FI_DELIVERY_COMPLETE | FI_REMOTE_CQ_DATA, w, 0x77);
      });
      EXPECT_EQ(known.of(port, w), 0);
      until_taken(port, known,
                  [&] { return port.read(there.place, got.data(), 64 * 8, nullptr, r); });
      EXPECT_EQ(known.of(port, r), 0);
      EXPECT_EQ(got, there.words);
      EXPECT_EQ(got[63], 9u);
      done = true;
    };
    const part serves = [&](endpoint& port, ends& known) {
      for (std::size_t i = 0; i < 63; ++i) there.words[i] = i;
      const auto open = there.open(port, 1);
      await([&] { return known.poll(port), done; });
      EXPECT_EQ(known.data, std::vector<std::uint64_t>{0x77});
    };
    const verdict v = talk(seed, seed % 2 == 0 ? strict() : loose(), {moves, serves});
    ASSERT_EQ(v.how, ending::ended) << "seed " << seed << ": " << v.why;
  }
}

TEST(Fabric, ItMovesOnlyWhileBothPollWhereThatIsTheirs) {
  exposed_words there;
  bool polls = false;
  const part writes = [&](endpoint& port, ends& known) {
    await([&] { return there.place.rank == 1; });
    const std::uint64_t value = 42;
    context c{};
    until_taken(port, known, [&] {
      return port.write(there.place, &value, sizeof value, nullptr, FI_DELIVERY_COMPLETE, c);
    });
    const auto until = sync::clock::now() + 100ms;
    await([&] { return known.poll(port), sync::clock::now() > until; });
    EXPECT_EQ(there.words[0], 0u);
    polls = true;
    EXPECT_EQ(known.of(port, c), 0);
    EXPECT_EQ(there.words[0], 42u);
  };
  const part serves = [&](endpoint& port, ends& known) {
    const auto open = there.open(port, 1);
    await([&] { return polls; });
    await([&] { return known.poll(port), there.words[0] == 42; });
  };
  EXPECT_EQ(talk(7, strict(), {writes, serves}).how, ending::ended);
}

TEST(Fabric, OperationsToTheDeadFailOrNothingComesOfThem) {
  for (const bool tells : {true, false}) {
    provider_traits how = strict();
    how.tells_of_the_dead = tells;
    bool failed = false;
    const part sends = [&](endpoint& port, ends& known) {
      await([] { return !scheduler::active()->alive(1); });
      const std::vector<std::byte> message(200);
      context c{};
      until_taken(port, known, [&] { return port.send(1, message.data(), 200, nullptr, c); });
      const auto until = sync::clock::now() + 200ms;
      await([&] {
        return known.poll(port), known.failures.contains(&c) || sync::clock::now() > until;
      });
      failed = known.failures.contains(&c) && known.failures.at(&c) != 0;
    };
    const part dies = [&](endpoint&, ends&) {
      for (;;) sync::yield();
    };
    bool ever = false;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      const verdict v =
          talk(seed, how, {sends, dies}, [](scheduler& run) { run.kill_at(1, 3000); });
      ASSERT_EQ(v.how, ending::ended) << "seed " << seed << ": " << v.why;
      ever = ever || failed;
    }
    EXPECT_EQ(ever, tells);
  }
}

TEST(Fabric, WhatIsPostedToTheDeadIsNeverTakenWhereAProviderRefusesIt) {
  for (const bool refuses : {true, false}) {
    provider_traits how = strict();
    how.refuses_the_dead = refuses;
    std::set<ssize_t> codes;
    const part sends = [&](endpoint& port, ends& known) {
      await([] { return !scheduler::active()->alive(1); });
      const std::uint64_t message = 1;
      for (int i = 0; i < 40; ++i) codes.insert(port.inject(1, &message, sizeof message));
      known.poll(port);
    };
    const part dies = [&](endpoint&, ends&) {
      for (;;) sync::yield();
    };
    const verdict v = talk(3, how, {sends, dies}, [](scheduler& run) { run.kill_at(1, 3000); });
    ASSERT_EQ(v.how, ending::ended) << v.why;
    EXPECT_EQ(codes.contains(0), !refuses);
    EXPECT_EQ(codes.contains(-FI_ENOTCONN), refuses);
  }
}

TEST(Fabric, SleepersAreWokenByWhatArrivesAndBySignals) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const part sleeps = [&](endpoint& port, ends& known) {
      std::uint64_t message = 0;
      context c{};
      until_taken(port, known, [&] { return port.receive(&message, sizeof message, nullptr, c); });
      while (!known.failures.contains(&c)) {
        const auto began = sync::clock::now();
        EXPECT_TRUE(port.sleep(900ms)) << "seed " << seed;
        EXPECT_LT(sync::clock::now() - began, 400ms);
        known.poll(port);
      }
      sync::thread waker([&port] {
        sync::sleep_for(10ms);
        port.wake();
      });
      const auto began = sync::clock::now();
      EXPECT_TRUE(port.sleep(900ms));
      EXPECT_LT(sync::clock::now() - began, 400ms);
      waker.join();
    };
    const part wakes = [&](endpoint& port, ends& known) {
      sync::sleep_for(50ms);
      const std::uint64_t message = 1;
      until_taken(port, known, [&] { return port.inject(0, &message, sizeof message); });
      known.poll(port);
    };
    const verdict v = talk(seed, strict(), {sleeps, wakes});
    ASSERT_EQ(v.how, ending::ended) << "seed " << seed << ": " << v.why;
  }
}

TEST(Fabric, NothingArrivesWhereAProcessIsCutOff) {
  nanoseconds arrived{};
  const part sends = [&](endpoint& port, ends& known) {
    network::of_run().cut_off(1, scheduler::active()->now() + 3s);
    const std::uint64_t message = 1;
    until_taken(port, known, [&] { return port.inject(1, &message, sizeof message); });
    known.poll(port);
  };
  const part hears = [&](endpoint& port, ends& known) {
    std::uint64_t message = 0;
    context c{};
    until_taken(port, known, [&] { return port.receive(&message, sizeof message, nullptr, c); });
    EXPECT_EQ(known.of(port, c), 0);
    arrived = scheduler::active()->now();
  };
  EXPECT_EQ(talk(3, strict(), {sends, hears}).how, ending::ended);
  EXPECT_GT(arrived, 4s);
}

TEST(Fabric, WhatWasNotRegisteredIsNotAccessed) {
  exposed_words there;
  const part writes = [&](endpoint& port, ends& known) {
    await([&] { return there.place.rank == 1; });
    const std::uint64_t value = 42;
    transport::remote_place beyond = there.place;
    beyond.address += 64 * sizeof value;
    context c{};
    until_taken(port, known,
                [&] { return port.write(beyond, &value, sizeof value, nullptr, 0, c); });
    known.of(port, c);
  };
  const part serves = [&](endpoint& port, ends& known) {
    const auto open = there.open(port, 1);
    await([&] { return known.poll(port) < 0; });
  };
  const verdict v = talk(3, strict(), {writes, serves});
  EXPECT_EQ(v.how, ending::failed);
  EXPECT_NE(v.why.find("not registered"), std::string::npos) << v.why;
}

TEST(Fabric, RunsOfDrawnProvidersRepeat) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const part speaks = [&](endpoint& port, ends& known) {
      for (int i = 0; i < 20; ++i) until_taken(port, known, [&] { return port.inject(1, &i, 4); });
    };
    const part idles = [](endpoint&, ends&) {};
    const auto once = [&] { return talk(seed, drawn_traits(seed), {speaks, idles}).trace; };
    EXPECT_EQ(once(), once()) << "seed " << seed;
  }
}

}  // namespace
}  // namespace oriel::sim
