// The driver's own arithmetic and formats, on canned measurements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/driver/child.hpp"
#include "bench/driver/plan.hpp"
#include "bench/driver/plot.hpp"
#include "bench/driver/table.hpp"

namespace bench {
namespace {

TEST(Median, IsTheMiddle) {
  EXPECT_FALSE(median({}));
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({9, 1, 5}), 5);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
}

TEST(Samples, TakeWellFormedLinesOnly) {
  samples s;
  EXPECT_EQ(s.take("put_flush 2 8 10.5\nnoise\nput_flush 2 8 11.5 extra\nput_flush 2 8 20\n\n"), 2);
  EXPECT_EQ(s.middle({"put_flush", 2, 8}), 15.25);
  EXPECT_FALSE(s.middle({"put_flush", 4, 8}));
  EXPECT_EQ(s.middle_of_any("put_flush", 8), 15.25);
}

std::vector<result_row> canned() {
  samples oriel, limits;
  oriel.take("put_flush 2 8 10\nput_flush 2 8 10\nhash_find 2 16 50\nlock_put_unlock 2 8 20\n");
  limits.take("put_flush 1 8 8\n");
  std::map<std::string, samples> peers;
  peers["openmpi"].take("put_flush 2 8 90\n");
  return join(oriel, limits, peers, {{"openmpi/2/lock_put_unlock", "exit 1"}});
}

TEST(Table, ShowsRatiosAndVerdicts) {
  const std::string text = print_table(canned());
  EXPECT_NE(text.find("9.0"), std::string::npos) << text;
  EXPECT_NE(text.find("1.25"), std::string::npos);
  EXPECT_NE(text.find("<=1.5x limit met, >=8x openmpi met"), std::string::npos);
  EXPECT_NE(text.find("exit 1"), std::string::npos) << "a peer's failure is a row";
}

TEST(Json, HasOneObjectALine) {
  std::istringstream lines(print_json(canned()));
  int rows = 0;
  for (std::string line; std::getline(lines, line); ++rows) {
    const auto object = nlohmann::json::parse(line);
    EXPECT_EQ(object.size(), 8u);
    for (const char* key :
         {"case", "ranks", "bytes", "oriel_ns", "limit_ns", "peer", "peer_ns", "speedup"})
      EXPECT_TRUE(object.contains(key)) << key;
    if (object["case"] == "put_flush") {
      EXPECT_EQ(object["peer"], "openmpi");
      EXPECT_EQ(object["speedup"], 9.0);
      EXPECT_EQ(object["limit_ns"], 8.0);
    }
    if (object["case"] == "hash_find") {
      EXPECT_TRUE(object["peer"].is_null());
      EXPECT_TRUE(object["speedup"].is_null());
    }
  }
  EXPECT_EQ(rows, 3);
}

TEST(Join, PutsServedOperationsBesideARoundTrip) {
  samples oriel, limits;
  oriel.take("net_cas 2 8 12\nnet_put_flush 2 8 9\n");
  limits.take("net_round_trip 2 8 10\nnet_put_flush 2 8 6\n");
  const auto rows = join(oriel, limits, {}, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].key.name, "net_cas");
  EXPECT_EQ(rows[0].limit_ns, 10);
  EXPECT_EQ(rows[1].limit_ns, 6);
}

TEST(Plan, MeasuresWithinANodeOrBetweenNodes) {
  using ::testing::AllOf, ::testing::Contains, ::testing::Not;
  options within;
  within.bin = "/b";
  options between = within;
  between.net = true;
  EXPECT_THAT(launch(within, "limits", 2, {"put_flush"}),
              AllOf(Contains("/b/oriel-limits"), Contains("put_flush"), Not(Contains("--net"))));
  EXPECT_THAT(launch(between, "limits", 2, {"net_cas"}), Contains("/b/oriel-limits-net"));
  EXPECT_THAT(launch(within, "oriel", 2, {}), Not(Contains("--nodes")));
  EXPECT_THAT(launch(between, "oriel", 2, {}), AllOf(Contains("--nodes"), Contains("--net")));
  EXPECT_THAT(launch(within, "mpich", 2, {}), Not(Contains("UCX_TLS=tcp")));
  EXPECT_THAT(launch(between, "mpich", 2, {}),
              AllOf(Contains("UCX_TLS=tcp"), Contains("MPIR_CVAR_NOLOCAL=1"), Contains("--net")));
  for (const options& o : {within, between})
    for (const job_size& size : job_sizes(o))
      EXPECT_FALSE(chosen("", size.cases).empty()) << size.ranks;
  EXPECT_EQ(chosen("fence,net_cas,put_rate", "put_rate,pscw,fence"),
            (std::vector<std::string>{"put_rate", "fence"}));
}

TEST(Plot, IsWellFormed) {
  const std::string svg =
      plot("a < b & c", {{"oriel", {{4096, 50}, {4194304, 90000}}}, {"none", {}}});
  EXPECT_TRUE(svg.starts_with("<svg"));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_NE(svg.find("a &lt; b &amp; c"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_EQ(svg.find("inf"), std::string::npos);
  EXPECT_NE(svg.find("polyline"), std::string::npos);
}

TEST(Child, IsBoundedAndItsFailureIsTold) {
  EXPECT_EQ(run_child({"sh", "-c", "echo hi"}, std::chrono::seconds(10)).out, "hi\n");
  EXPECT_EQ(run_child({"sh", "-c", "exit 3"}, std::chrono::seconds(10)).failure, "exit 3");
  EXPECT_EQ(run_child({"/no/such"}, std::chrono::seconds(10)).failure, "exit 127");
  EXPECT_EQ(run_child({"sleep", "30"}, std::chrono::seconds(1)).failure, "more than 1 s");
}

}  // namespace
}  // namespace bench
