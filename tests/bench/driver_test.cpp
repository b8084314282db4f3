// The driver's own arithmetic and formats, on canned measurements.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bench/driver/child.hpp"
#include "bench/driver/mpi_table.hpp"
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
  const auto time = s.of({"put_flush", 2, 8});
  ASSERT_TRUE(time);
  EXPECT_EQ(time->middle, 15.25);
  EXPECT_EQ(time->least, 10.5);
  EXPECT_EQ(time->most, 20);
  EXPECT_FALSE(s.of({"put_flush", 4, 8}));
  EXPECT_EQ(s.of_any("put_flush", 8)->middle, 15.25);
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

TEST(Join, PutsServedOperationsBesideARoundTrip) {
  samples oriel, limits;
  oriel.take("net_cas 2 8 12\nnet_put_flush 2 8 9\n");
  limits.take("net_round_trip 2 8 10\nnet_put_flush 2 8 6\n");
  const auto rows = join(oriel, limits, {}, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].key.name, "net_cas");
  EXPECT_EQ(rows[0].limit->middle, 10);
  EXPECT_EQ(rows[1].limit->middle, 6);
}

TEST(Join, PutsRanksBesideAsManyProcessesWhereTheseWereMeasured) {
  samples oriel, limits;
  oriel.take("net_notify_pingpong 2 8 12\nnet_notify_pingpong 4 8 30\nnet_cas 8 8 90\n");
  limits.take("net_round_trip 2 8 10\nnet_round_trip 4 8 25\n");
  const auto rows = join(oriel, limits, {}, {});
  ASSERT_EQ(rows.size(), 3u);
  for (const result_row& row : rows)
    EXPECT_EQ(row.limit->middle, row.key.ranks == 4 ? 25 : 10) << row.key.ranks;
}

TEST(Join, PutsListsToTheOtherNodeBesideSingleOperations) {
  samples oriel, limits;
  oriel.take("net_far_gather 2 8 50\nnet_list_gather 2 8 40\n");
  limits.take("net_far_get_nbi 2 8 30\nnet_list_gather 2 8 20\n");
  const auto rows = join(oriel, limits, {}, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].limit->middle, 30);
  EXPECT_EQ(rows[1].limit->middle, 20);
}

TEST(Join, PutsPrivateMemoryBesideTheKernelsCopy) {
  samples oriel, limits;
  oriel.take("attached_get 2 64 12\nattached_put 2 64 13\n");
  limits.take("kernel_get 1 64 10\nkernel_put 1 64 11\n");
  const auto rows = join(oriel, limits, {}, {});
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].limit->middle, 10);
  EXPECT_EQ(rows[1].limit->middle, 11);
}

std::vector<mpi_row> canned_hosts() {
  std::map<std::string, samples> measured;
  measured["openmpi"].take("put_flush 2 8 30\nput_bw 2 1024 90\nput_rate 2 8 5\n");
  measured["openmpi-sm"].take("put_flush 2 8 10\ncompare_swap 2 8 10\n");
  measured["openmpi+oriel"].take(
      "put_flush 2 8 10\nput_bw 2 1024 60\ncompare_swap 2 8 2\nput_rate 2 8 1\n");
  measured["mpich"].take("put_flush 2 8 210\nfence 2 8 100\n");
  measured["mpich+oriel"].take("put_flush 2 8 10\n");
  return join_hosts(measured, {{"openmpi/2/compare_swap", "signal 11"},
                               {"mpich+oriel/2/fence", "more than 60 s"}});
}

const mpi_row& row_of(const std::vector<mpi_row>& rows, const std::string& host,
                      const std::string& name) {
  for (const mpi_row& row : rows)
    if (row.host == host && row.key.name == name) return row;
  throw std::out_of_range(host + " " + name);
}

TEST(Hosts, AreJudgedByTheirOwnFactors) {
  const auto rows = canned_hosts();
  EXPECT_EQ(row_of(rows, "openmpi", "put_flush").met(), false) << "3x of 4x";
  EXPECT_EQ(row_of(rows, "openmpi", "put_bw").met(), true) << "1.5x of 1x";
  EXPECT_EQ(row_of(rows, "mpich", "put_flush").met(), true) << "21x of 20x";
  EXPECT_EQ(row_of(rows, "openmpi", "put_rate").met(), std::nullopt) << "nothing is asked";
  EXPECT_EQ(row_of(rows, "openmpi-sm", "put_flush").met(), std::nullopt);
  EXPECT_EQ(row_of(rows, "openmpi-sm", "compare_swap").met(), true) << "in place of the crash";
  EXPECT_EQ(row_of(rows, "openmpi", "compare_swap").met(), std::nullopt);
  EXPECT_EQ(row_of(rows, "mpich", "fence").met(), false) << "oriel did not finish";
}

TEST(Hosts, AreATable) {
  const auto rows = canned_hosts();
  const std::string text = print_table(rows);
  EXPECT_NE(text.find(">=20x met"), std::string::npos) << text;
  EXPECT_NE(text.find(">=4x MISSED"), std::string::npos) << text;
  EXPECT_NE(text.find("signal 11"), std::string::npos) << text;
}

TEST(Plan, PreloadsOrielIntoRanksAlone) {
  using ::testing::Contains, ::testing::HasSubstr, ::testing::Not;
  options o;
  o.mpi = true;
  o.bin = "/b/bin";
  EXPECT_THAT(launch(o, "mpich", 2, {"fence"}), Not(Contains(HasSubstr("liboriel"))));
  EXPECT_THAT(launch(o, "mpich+oriel", 2, {"fence"}), Contains("/b/lib/liboriel-mpich.so"));
  EXPECT_THAT(launch(o, "mpich+oriel", 2, {"fence"}), Contains("/b/bin/oriel-peer-mpich"));
  EXPECT_THAT(launch(o, "openmpi+oriel", 2, {"coarray_put"}),
              Contains("LD_PRELOAD=/b/lib/liboriel-openmpi.so"));
  EXPECT_THAT(launch(o, "openmpi+oriel", 2, {"coarray_put"}),
              Contains("/b/bin/oriel-coarray-openmpi"));
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
  EXPECT_THAT(launch(between, "openshmem", 2, {}),
              AllOf(Contains("UCX_TLS=tcp,self"), Contains("oshrun"),
                    Contains("/b/oriel-peer-openshmem"), Contains("--net")));
  options hosted = within;
  hosted.mpi = true;
  for (const options& o : {within, between, hosted})
    for (const job_size& size : job_sizes(o))
      EXPECT_FALSE(chosen("", size.cases).empty()) << size.ranks;
  EXPECT_EQ(chosen("fence,net_cas,put_rate", "put_rate,pscw,fence"),
            (std::vector<std::string>{"put_rate", "fence"}));
}

TEST(Cases, ThatAreNotMeasuredAreNamedEach) {
  options within, between;
  between.net = true;
  within.cases = "put_flush,put_flsh,construct,net_cas,coarray_put";
  EXPECT_EQ(complaints_of_cases(within),
            (std::vector<std::string>{"there is no case 'put_flsh'",
                                      "case 'net_cas' is measured with --net",
                                      "case 'coarray_put' is measured with --mpi"}));
  between.cases = "net_cas,fence4";
  EXPECT_EQ(complaints_of_cases(between),
            (std::vector<std::string>{"case 'fence4' is measured without --net and --mpi"}));
  EXPECT_TRUE(complaints_of_cases(options{}).empty());
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

TEST(Plot, TakesEachProgramsBandwidthOnce) {
  samples oriel, limits;
  oriel.take("put_bw 2 4096 40\nput_bw 2 65536 400\nget_bw 2 4096 41\nput_flush 2 8 2\n");
  limits.take("put_bw 1 4096 38\n");
  std::map<std::string, samples> peers;
  for (const char* peer : {"mpich", "openmpi"}) peers[peer].take("put_bw 2 4096 400\n");
  const auto curves = bandwidth_curves(join(oriel, limits, peers, {}));
  std::map<std::string, std::size_t> points;
  for (const curve& c : curves) points[c.label] = c.points.size();
  EXPECT_EQ(points, (std::map<std::string, std::size_t>{{"oriel put", 2},
                                                        {"memcpy put", 1},
                                                        {"mpich put", 1},
                                                        {"openmpi put", 1},
                                                        {"oriel get", 1}}));
}

TEST(Child, IsBoundedAndItsFailureIsTold) {
  EXPECT_EQ(run_child({"sh", "-c", "echo hi"}, std::chrono::seconds(10)).out, "hi\n");
  EXPECT_EQ(run_child({"sh", "-c", "exit 3"}, std::chrono::seconds(10)).failure, "exit 3");
  EXPECT_EQ(run_child({"/no/such"}, std::chrono::seconds(10)).failure, "exit 127");
  EXPECT_EQ(run_child({"sleep", "30"}, std::chrono::seconds(1)).failure, "more than 1 s");
}

}  // namespace
}  // namespace bench
