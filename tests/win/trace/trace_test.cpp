// ORIEL_TRACE=DIR and oriel-trace as their user sees them.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/scoped_folder.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"
#include "win/trace/event.hpp"

namespace oriel::testing {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

class Trace : public ::testing::Test {
 protected:
  // Of two ranks; `arguments` are tracing_rank's.
  std::string run(const std::string& into, const std::vector<std::string>& arguments = {},
                  std::vector<std::string> options = {"-n", "2"}, int status = 0) {
    const scoped_variable traced("ORIEL_TRACE", into.c_str());
    options.insert(options.end(), {"--timeout", "30", ORIEL_TRACING_RANK});
    options.insert(options.end(), arguments.begin(), arguments.end());
    launched_program job(ORIEL_RUN, options);
    EXPECT_EQ(job.status(), status) << job.output;
    return job.output;
  }
  [[nodiscard]] std::string traces() const { return folder_ / "traces"; }
  [[nodiscard]] fs::path in_folder(const char* name) const { return folder_ / name; }
  std::string merged(std::vector<std::string> options, int status = 0) {
    options.insert(options.begin(), traces());
    launched_program merge(ORIEL_TRACE_TOOL, options);
    EXPECT_EQ(merge.status(), status) << merge.output;
    return merge.output;
  }
  json events() {
    const std::string file = in_folder("trace.json");
    said_ = merged({"--json", file});
    std::ifstream in(file);
    return json::parse(in)["traceEvents"];
  }
  // How often rank `r` called what, and on which window.
  static std::map<std::string, int> calls_of(const json& all, int r) {
    std::map<std::string, int> found;
    for (const json& e : all)
      if (e["ph"] == "X" && e["pid"] == r)
        ++found[e["name"].get<std::string>() + " " + e["args"]["window"].get<std::string>()];
    return found;
  }

  // Names are kept character by character.
  static std::string fence_of_second() {
    std::string name = "fence second";
    for (int i = 0; i < 24; ++i) name += "\u00e9";
    return name;
  }

  scoped_folder folder_;
  std::string said_;
};

// Every byte of an event travels, and the last word is 0 of none that is there.
TEST(TraceEvent, IsTheSameBehindItsWords) {
  using namespace win::trace;
  event_words different;
  for (std::size_t i = 0; i < different.size(); ++i)
    different[i] = 0x0102030405060708u + i * 0x1011121314151617u;
  EXPECT_EQ(pack(unpack(different)), different);
  const event e{.began = 1,
                .ended = 2,
                .bytes = 3,
                .peer = -4,
                .amount = 5,
                .window = 6,
                .counter = 7,
                .thread = 8,
                .failed = 9,
                .what = call::flush,
                .stream = 10};
  slot at{};
  EXPECT_EQ(at.read().what, call::none);
  at.write(e);
  const event back = at.read();
  EXPECT_EQ(back.began, 1u);
  EXPECT_EQ(back.peer, -4);
  EXPECT_EQ(back.amount, 5u);
  EXPECT_EQ(back.counter, 7u);
  EXPECT_EQ(back.thread, 8u);
  EXPECT_EQ(back.failed, 9);
  EXPECT_EQ(back.what, call::flush);
  EXPECT_EQ(back.stream, 10);
}

TEST_F(Trace, HasEveryCallOfEveryRank) {
  run(traces(), {"2"});
  const json all = events();
  EXPECT_NE(said_.find("2 ranks, 22 calls, 4 arrows"), std::string::npos) << said_;
  const std::string first = " the \"first\"", fence = fence_of_second();
  EXPECT_EQ(calls_of(all, 0), (std::map<std::string, int>{{fence, 2},
                                                          {"lock_all" + first, 1},
                                                          {"put" + first, 6},
                                                          {"put_notify" + first, 2},
                                                          {"wait_notify" + first, 2},
                                                          {"unlock_all" + first, 1}}));
  EXPECT_EQ(calls_of(all, 1), (std::map<std::string, int>{{fence, 2},
                                                          {"lock_all" + first, 1},
                                                          {"put_notify" + first, 2},
                                                          {"wait_notify" + first, 2},
                                                          {"unlock_all" + first, 1}}));
  for (const json& e : all) {
    if (e["ph"] != "X") continue;
    EXPECT_GE(e["ts"].get<double>(), 0) << e;
    EXPECT_GE(e["dur"].get<double>(), 0) << e;
    EXPECT_LT(e["dur"].get<double>(), 20e6) << e;
    if (e["pid"] != 0) continue;
    if (e["name"] == "put") {
      EXPECT_EQ(e["args"]["bytes"], 8) << e;
    }
    if (e["name"] == "put_notify") {
      EXPECT_EQ(e["args"]["bytes"], 16) << e;
      EXPECT_EQ(e["args"]["rank"], 1) << e;
      EXPECT_EQ(e["args"]["counter"], 1) << e;
    }
  }
}

// On other nodes the clocks are those of one kernel here.
TEST_F(Trace, LeadsFromEachNotificationToItsWait) {
  run(traces(), {"20"}, {"-n", "2", "--nodes", "2"});
  const json all = events();
  std::map<int, std::vector<json>> ends;
  for (const json& e : all)
    if (e["cat"] == "notification") ends[e["id"].get<int>()].push_back(e);
  EXPECT_EQ(ends.size(), 40u);
  for (const auto& [id, pair] : ends) {
    ASSERT_EQ(pair.size(), 2u);
    EXPECT_EQ(pair[0]["ph"], "s");
    EXPECT_EQ(pair[1]["ph"], "f");
    EXPECT_NE(pair[0]["pid"], pair[1]["pid"]);
    EXPECT_LT(pair[0]["ts"].get<double>(), pair[1]["ts"].get<double>());
  }
}

TEST_F(Trace, KeepsTheLastEventsAndCountsTheOthers) {
  const scoped_variable few("ORIEL_TRACE_EVENTS", "256");
  run(traces(), {"200"});
  const json all = events();
  int of_first = 0;
  double last = 0;
  std::string last_call;
  for (const json& e : all)
    if (e["ph"] == "X" && e["pid"] == 0) {
      ++of_first;
      if (e["ts"].get<double>() >= last) last_call = e["name"];
      last = std::max(last, e["ts"].get<double>());
    }
  EXPECT_EQ(of_first, 256);
  EXPECT_EQ(last_call, "unlock_all");
  // 1000 and 400 of turns, and 4 beside them
  EXPECT_NE(said_.find(std::to_string(1004 - 256 + 404 - 256) + " calls before them were dropped"),
            std::string::npos)
      << said_;
}

TEST_F(Trace, OfARankThatWasKilledIsReadToo) {
  run(traces(), {"2", "die"}, {"-n", "2"}, 137);
  const json all = events();
  EXPECT_EQ(calls_of(all, 1)["put_notify the \"first\""], 2);
}

TEST_F(Trace, ThatCannotBeWrittenIsOneSentenceOfTheJob) {
  const std::string none = in_folder("no") / "such" / "folder";
  const std::string said = run(none);
  EXPECT_NE(said.find("rank 0 is done"), std::string::npos) << said;
  const auto at = said.find("oriel: rank 0 cannot write its trace to '" + none +
                            "' (ORIEL_TRACE): No such file or directory, nor can ");
  ASSERT_NE(at, std::string::npos) << said;
  EXPECT_EQ(said.find("(ORIEL_TRACE)"), said.rfind("(ORIEL_TRACE)")) << said;
}

TEST_F(Trace, IsInAFolderOfItsFilesAlone) {
  run(traces());
  for (const auto& file : fs::directory_iterator(traces()))
    EXPECT_EQ(file.path().extension(), ".trace") << file.path();
}

TEST_F(Trace, TakesAnotherNumberOfEventsThanIsValidForNone) {
  const scoped_variable none("ORIEL_TRACE_EVENTS", "few");
  const std::string said = run(traces());
  const auto at = said.find("ORIEL_TRACE_EVENTS is 'few'");
  EXPECT_NE(at, std::string::npos) << said;
  EXPECT_EQ(said.rfind("ORIEL_TRACE_EVENTS is"), at) << said;  // of a node's ranks one says it
  EXPECT_EQ(calls_of(events(), 0)[fence_of_second()], 2);
}

TEST_F(Trace, IsDrawn) {
  run(traces(), {"3"});
  const auto boxes = [this](std::vector<std::string> options) {
    const fs::path file = in_folder("trace.svg");
    options.insert(options.end(), {"--svg", file});
    merged(options);
    std::ifstream in(file);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_NE(text.find(">rank 1</text>"), std::string::npos) << text;
    int n = 0;
    for (auto at = text.find("<title>"); at != std::string::npos; at = text.find("<title>", at + 1))
      ++n;
    return n;
  };
  EXPECT_EQ(boxes({}), 2 * 4 + 3 * (3 + 2) + 3 * 2);
  EXPECT_EQ(boxes({"--from", "30e6"}), 0) << "half a minute later";
}

// What others test is as right where it is noted, near and far.
TEST_F(Trace, ChangesNoOperation) {
  const scoped_variable traced("ORIEL_TRACE", traces().c_str());
  const scoped_variable few("ORIEL_TRACE_EVENTS", "256");
  using job = std::pair<const char*, const char*>;  // nodes, program
  for (const auto& [nodes, suite] :
       {job{"1", ORIEL_OPERATIONS}, job{"1", ORIEL_CONFORMANCE}, job{"2", ORIEL_CONFORMANCE},
        job{"1", ORIEL_NOTIFY}, job{"2", ORIEL_NOTIFY}}) {
    launched_program all(ORIEL_RUN, {"-n", "2", "--nodes", nodes, "--timeout", "30", suite});
    EXPECT_EQ(all.status(), 0) << suite << " on " << nodes << ": " << all.output;
  }
}

TEST_F(Trace, OfSeveralJobsIsReadByName) {
  run(traces());
  run(traces());
  const std::string said = merged({}, 2);
  const auto at = said.find("--job names one of: ");
  ASSERT_NE(at, std::string::npos) << said;
  const std::string rest = said.substr(at + 20);
  EXPECT_NE(merged({"--job", rest.substr(0, rest.find(' '))}).find("2 ranks"), std::string::npos);
}

TEST_F(Trace, OfSomethingElseIsRefused) {
  fs::create_directory(traces());
  EXPECT_NE(merged({}, 2).find("has no traces"), std::string::npos);
  std::ofstream(fs::path(traces()) / "1.0.trace") << std::string(1 << 20, 'x');
  EXPECT_NE(merged({}, 2).find("is no trace of this version"), std::string::npos);
}

#ifdef ORIEL_OTF2_PRINT
TEST_F(Trace, IsAnOtf2Archive) {
  run(traces(), {"2"});
  const fs::path archive = in_folder("archive");
  merged({"--otf2", archive});
  launched_program print(ORIEL_OTF2_PRINT, {archive / "traces.otf2"});
  EXPECT_EQ(print.status(), 0) << print.output;
  EXPECT_EQ(print.output.find("warning"), std::string::npos) << print.output;
  const auto count = [&](const std::string& text) {
    int n = 0;
    for (auto at = print.output.find(text); at != std::string::npos;
         at = print.output.find(text, at + 1))
      ++n;
    return n;
  };
  EXPECT_EQ(count("\nENTER "), 22) << print.output;
  EXPECT_EQ(count("\nLEAVE "), 22);
  EXPECT_EQ(count("\nRMA_PUT "), 10) << "6 puts, and 4 with notifications";
  EXPECT_NE(print.output.find("Window: \"the \"first\"\""), std::string::npos) << print.output;
  EXPECT_NE(merged({"--otf2", archive}, 2).find("is there already"), std::string::npos);
}
#endif

}  // namespace
}  // namespace oriel::testing
