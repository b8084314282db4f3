// ORIEL_TRACE and operations in the order of streams: tests of win.streams, whose operations are
// known, as oriel-trace shows them (ORIEL_TEST_KIND, with a test driver in the vendor's place).
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scoped_folder.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"

namespace oriel::testing {
namespace {

using json = nlohmann::json;

class StreamTrace : public ::testing::Test {
 protected:
  // What one test of win.streams has left behind.
  json events_of(const std::string& test, const char* ranks, const char* nodes) {
    const std::string traces = folder_ / "traces", file = folder_ / "trace.json";
    {
      const scoped_variable traced("ORIEL_TRACE", traces.c_str());
      launched_program job(ORIEL_RUN, {"-n", ranks, "--nodes", nodes, "--timeout", "60",
                                       ORIEL_STREAMS, "--gtest_filter=" + test});
      EXPECT_EQ(job.status(), 0) << job.output;
    }
    launched_program merge(ORIEL_TRACE_TOOL, {traces, "--json", file});
    EXPECT_EQ(merge.status(), 0) << merge.output;
    std::ifstream in(file);
    return json::parse(in)["traceEvents"];
  }
  // The threads of a rank that are streams.
  static std::vector<int> streams_of(const json& all, int rank) {
    std::vector<int> found;
    for (const json& e : all)
      if (e["ph"] == "M" && e["name"] == "thread_name" && e["pid"] == rank &&
          e["args"]["name"].get<std::string>().starts_with("stream "))
        found.push_back(e["tid"]);
    return found;
  }
  // Of one thread, or of all that are none of `apart`, in the order of their beginnings.
  template <class Which>
  static std::vector<json> calls(const json& all, int rank, Which which) {
    std::vector<json> found;
    for (const json& e : all)
      if (e["ph"] == "X" && e["pid"] == rank && which(e["tid"].get<int>())) found.push_back(e);
    std::ranges::stable_sort(found, {}, [](const json& e) { return e["ts"].get<double>(); });
    return found;
  }
  static std::map<std::string, int> counted(const std::vector<json>& calls) {
    std::map<std::string, int> found;
    for (const json& e : calls) ++found[e["name"]];
    return found;
  }
  static double end_of(const json& e) { return e["ts"].get<double>() + e["dur"].get<double>(); }

  scoped_folder folder_;
};

constexpr int rounds = 20;  // of the test

// Near and far, in memory that streams copy and in memory that is left to the poller's thread.
TEST_F(StreamTrace, HasEachCallAndWhatTheStreamDidOfIt) {
  using job = std::pair<const char*, const char*>;
  int made = 0;
  for (const auto& [ranks, nodes] : {job{"2", "1"}, job{"2", "2"}})
    for (const char* memory : {"0", "1", "2"}) {
      SCOPED_TRACE(std::string(memory) + " on " + nodes + " nodes");
      const json all =
          events_of(std::string("On/Streams.DoOneOperationAfterTheOther/") + memory, ranks, nodes);
      for (const int r : {0, 1}) {
        const std::vector<int> streams = streams_of(all, r);
        ASSERT_EQ(streams.size(), 1u);
        const auto done = calls(all, r, [&](int t) { return t == streams[0]; });
        const auto called = calls(all, r, [&](int t) { return t != streams[0]; });
        EXPECT_EQ(counted(done), (std::map<std::string, int>{{"put", 3 * rounds},
                                                             {"get", 2 * rounds},
                                                             {"put_notify", 2 * rounds},
                                                             {"wait_notify", rounds}}));
        auto by_host = counted(called);
        EXPECT_EQ(by_host["put_on"], 3 * rounds);
        EXPECT_EQ(by_host["get_on"], 2 * rounds);
        EXPECT_EQ(by_host["signal_on"], 2 * rounds);
        EXPECT_EQ(by_host["wait_more_on"], rounds);
        EXPECT_EQ(by_host["put"] + by_host["get"] + by_host["wait_notify"], 0);
        // One after the other, in the order in which the calls were made, and none before its call.
        std::vector<json> enqueued;
        for (const json& e : called)
          if (e["cat"] == "enqueueing") enqueued.push_back(e);
        ASSERT_EQ(enqueued.size(), done.size());
        const std::map<std::string, std::string> of{{"put_on", "put"},
                                                    {"get_on", "get"},
                                                    {"signal_on", "put_notify"},
                                                    {"wait_more_on", "wait_notify"}};
        for (std::size_t i = 0; i < done.size(); ++i) {
          EXPECT_EQ(of.at(enqueued[i]["name"]), done[i]["name"]) << i;
          EXPECT_GE(done[i]["ts"].get<double>(), enqueued[i]["ts"].get<double>()) << i;
          EXPECT_EQ(enqueued[i]["args"]["stream"], 1) << i;
          if (i != 0) {
            EXPECT_GE(done[i]["ts"].get<double>(), end_of(done[i - 1]) - 0.01) << i;
          }
          if (done[i]["name"] == "put" || done[i]["name"] == "get") {
            EXPECT_EQ(done[i]["args"]["bytes"], 400) << done[i];
          }
          if (done[i]["name"] == "put" || done[i]["name"] == "put_notify") {
            EXPECT_EQ(done[i]["args"]["rank"], enqueued[i]["args"]["rank"]) << i;
          }
        }
        // Each waits for two more.
        int awaited = 0;
        for (const json& e : done)
          if (e["name"] == "wait_notify") {
            EXPECT_EQ(e["args"]["at_least"], awaited += 2) << e;
          }
        EXPECT_EQ(awaited, 2 * rounds);
      }
      int arrows = 0;
      for (const json& e : all) arrows += e["cat"] == "notification" && e["ph"] == "f" ? 1 : 0;
      EXPECT_EQ(arrows, 4 * rounds) << "from each signal to the wait for it";
      std::filesystem::remove_all(folder_ / "traces");
      ++made;
    }
  EXPECT_EQ(made, 6);
}

// What is captured is called once, and done at each of three launches.
TEST_F(StreamTrace, HasWhatAGraphDidAtEachLaunch) {
  const json all = events_of("On/Streams.AreCapturedAndLaunchedAgain/0", "2", "1");
  for (const int r : {0, 1}) {
    const std::vector<int> streams = streams_of(all, r);
    ASSERT_EQ(streams.size(), 1u);
    EXPECT_EQ(counted(calls(all, r, [&](int t) { return t == streams[0]; })),
              (std::map<std::string, int>{
                  {"wait_notify", 3}, {"get", 3}, {"put", 3}, {"put_notify", 3}}));
    auto called = counted(calls(all, r, [&](int t) { return t != streams[0]; }));
    for (const char* call : {"wait_more_on", "get_on", "put_on", "signal_on"})
      EXPECT_EQ(called[call], 1) << call;
  }
}

// Two streams of a rank have a place each.
TEST_F(StreamTrace, HasAPlaceForEachStream) {
  const json all = events_of("On/Streams.SignalAfterWhatTheyHavePutFromSeveralOrigins/0", "2", "1");
  for (const int r : {0, 1}) {
    const std::vector<int> streams = streams_of(all, r);
    EXPECT_EQ(streams.size(), 2u);
    for (const int s : streams)
      EXPECT_EQ(counted(calls(all, r, [&](int t) { return t == s; })),
                (std::map<std::string, int>{{"put", 80}, {"put_notify", 80}}));
  }
}

// What is refused is there, and its code.
TEST_F(StreamTrace, HasWhatWasRefused) {
  const json all = events_of("On/Streams.RefuseWhatCannotBeAtOnce/0", "2", "1");
  int refused = 0;
  for (const json& e : all)
    if (e["ph"] == "X" && e["pid"] == 0 && e["cat"] == "enqueueing" && e["args"].contains("failed"))
      ++refused;
  EXPECT_EQ(refused, 11);
}

}  // namespace
}  // namespace oriel::testing
