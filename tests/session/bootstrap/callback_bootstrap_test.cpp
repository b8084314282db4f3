// An embedding program's allgather: parts of any length over it, and what is refused.
#include "session/bootstrap/callback_bootstrap.hpp"

#include <barrier>
#include <cstring>
#include <thread>

#include "session/bootstrap/together.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

using sessions::agreed_error;
using sessions::callback_bootstrap;
using sessions::together;

// MPI_Allgather's equivalent among threads.
class meeting {
 public:
  explicit meeting(int ranks) : together_(ranks), parts_(static_cast<std::size_t>(ranks)) {}
  status allgather(int rank, const void* mine, std::size_t bytes, void* all) {
    parts_[static_cast<std::size_t>(rank)].assign(static_cast<const char*>(mine), bytes);
    together_.arrive_and_wait();
    auto* to = static_cast<char*>(all);
    for (const std::string& part : parts_) {
      EXPECT_EQ(part.size(), bytes);
      std::memcpy(to, part.data(), bytes);
      to += bytes;
    }
    together_.arrive_and_wait();
    return {};
  }
  bootstrap_callbacks callbacks(int rank) {
    return {rank, static_cast<int>(parts_.size()),
            [this, rank](const void* mine, std::size_t bytes, void* all) {
              return allgather(rank, mine, bytes, all);
            }};
  }

 private:
  std::barrier<> together_;
  std::vector<std::string> parts_;
};

TEST(CallbackBootstrap, GathersPartsOfAnyLength) {
  meeting job(4);
  std::vector<std::thread> threads;
  for (int r = 0; r < 4; ++r)
    threads.emplace_back([&job, r] {
      callback_bootstrap mine(job.callbacks(r));
      EXPECT_EQ(mine.rank(), r);
      EXPECT_EQ(mine.size(), 4);
      for (const std::size_t bytes : {0u, 1u, 5000u}) {
        const auto all =
            mine.allgather(std::string(bytes * static_cast<std::size_t>(r), static_cast<char>(r)));
        ASSERT_EQ(all.size(), 4u);
        for (std::size_t i = 0; i < 4; ++i)
          ASSERT_EQ(all[i], std::string(bytes * i, static_cast<char>(i)));
      }
    });
  for (std::thread& t : threads) t.join();
}

// After that one ranks may take another step together.
TEST(Together, AgreesOnWhatAPartThrowsAndNotOnWhatTheLauncherDoes) {
  const auto alone = [](errc outcome) {
    return bootstrap_callbacks{0, 1, [outcome](const void* mine, std::size_t bytes, void* all) {
                                 std::memcpy(all, mine, bytes);
                                 return status(outcome);
                               }};
  };
  const auto thrown_by = [](sessions::bootstrap& launcher, const auto& part) {
    try {
      together(launcher, "", part);
    } catch (const agreed_error&) {
      return std::string("agreed");
    } catch (const error& e) {
      return std::string(name(e.code()));
    }
    return std::string("nothing");
  };
  callback_bootstrap well(alone(errc::success)), broken(alone(errc::peer_failed));
  const auto gives = [] { return std::string("a part"); };
  const auto fails = []() -> std::string { throw error(errc::arg, "no part"); };
  EXPECT_EQ(thrown_by(well, gives), "nothing");
  EXPECT_EQ(thrown_by(well, fails), "agreed");
  EXPECT_EQ(thrown_by(broken, gives), "peer_failed");
  EXPECT_EQ(thrown_by(broken, fails), "peer_failed");
}

TEST(CallbackBootstrap, RefusesCallbacksThatContradictThemselves) {
  const auto sound = [](const void*, std::size_t, void*) { return status(); };
  const struct {
    bootstrap_callbacks callbacks;
    const char* said;
  } rows[] = {
      {{0, 0, sound}, "the size is 0; valid: 1 to 1048576"},
      {{0, -3, sound}, "the size is -3"},
      {{2, 2, sound}, "the rank is 2; valid: 0 to 1, since the size is 2"},
      {{-1, 2, sound}, "the rank is -1"},
      {{1, 2, nullptr}, "rank 1 gives no allgather function"},
  };
  for (const auto& row : rows) {
    session_options options;
    options.bootstrap = row.callbacks;
    const thrown t = catch_error([&] { session s(options); });
    EXPECT_EQ(t.code, errc::arg) << row.said;
    EXPECT_NE(t.text.find(row.said), std::string::npos) << t.text;
  }
}

TEST(CallbackBootstrap, ReportsWhatTheCallbackReports) {
  const auto failing = [](auto body) {
    return catch_error([&] { (void)callback_bootstrap({1, 2, body}).allgather("me"); });
  };
  const thrown returned =
      failing([](const void*, std::size_t, void*) { return status(errc::timed_out); });
  EXPECT_EQ(returned.code, errc::timed_out);
  EXPECT_EQ(returned.text, "the program's allgather callback on rank 1 returned timed_out");
  const thrown threw = failing(
      [](const void*, std::size_t, void*) -> status { throw std::runtime_error("no network"); });
  EXPECT_EQ(threw.code, errc::peer_failed);
  EXPECT_NE(threw.text.find("rank 1 threw: no network"), std::string::npos) << threw.text;
  const thrown strange = failing([](const void*, std::size_t, void*) -> status { throw 1; });
  EXPECT_EQ(strange.code, errc::peer_failed);
  const thrown huge = failing([](const void*, std::size_t bytes, void* all) {
    std::memset(all, 0x7f, 2 * bytes);
    return status();
  });
  EXPECT_EQ(huge.code, errc::peer_failed);
  EXPECT_NE(huge.text.find("rank 0 announced"), std::string::npos) << huge.text;
}

}  // namespace
}  // namespace oriel::testing
