// Saved runs, and the page of one: what it holds. tests/bench/browser_test.py renders it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "bench/driver/case_texts.hpp"
#include "bench/driver/embedded.hpp"
#include "bench/driver/json_lines.hpp"
#include "bench/driver/page.hpp"
#include "bench/driver/plan.hpp"
#include "bench/driver/text.hpp"

namespace bench {
namespace {

using nlohmann::json;
using ::testing::ElementsAre, ::testing::HasSubstr, ::testing::Not;

std::vector<result_row> canned() {
  samples oriel, limits;
  oriel.take("put_flush 2 8 10\nput_flush 2 8 14\nput_flush 2 8 11\nhash_find 2 16 50\n");
  oriel.take("lock_put_unlock 2 8 20\n");
  limits.take("put_flush 1 8 8\nput_flush 1 8 9\n");
  std::map<std::string, samples> peers;
  peers["openmpi"].take("put_flush 2 8 99\nlock_put_unlock 2 8 60\n");
  peers["mpich"].take("put_flush 2 8 880\n");
  return join(oriel, limits, peers, {{"mpich/2/lock_put_unlock", "exit 1"}});
}

std::vector<mpi_row> canned_hosts() {
  std::map<std::string, samples> measured;
  measured["openmpi"].take("put_flush 2 8 30\n");
  measured["openmpi+oriel"].take("put_flush 2 8 10\ncompare_swap 2 8 2\n");
  measured["mpich"].take("put_flush 2 8 210\nfence 2 8 100\n");
  measured["mpich+oriel"].take("put_flush 2 8 10\n");
  return join_hosts(measured, {{"openmpi/2/compare_swap", "signal 11"},
                               {"mpich+oriel/2/fence", "more than 60 s"}});
}

std::vector<json> parsed(const std::string& text) {
  std::istringstream lines(text);
  std::vector<json> objects;
  for (std::string line; std::getline(lines, line);) objects.push_back(json::parse(line));
  return objects;
}

saved_run read(const std::string& text) {
  std::istringstream file(text);
  return read_json(file);
}

TEST(Json, HasOneObjectALine) {
  const auto objects = parsed(print_json(canned()));
  ASSERT_EQ(objects.size(), 5u);
  for (const json& object : objects) EXPECT_EQ(object.size(), 12u) << object;
  const json& alone = objects[0];
  EXPECT_EQ(alone["case"], "hash_find");
  EXPECT_TRUE(alone["peer"].is_null());
  EXPECT_TRUE(alone["speedup"].is_null());
  EXPECT_EQ(objects[1]["peer_failure"], "exit 1");
  const json& put = objects[4];
  EXPECT_EQ(put["peer"], "openmpi");
  EXPECT_EQ(put["oriel_ns"], 11.0);
  EXPECT_EQ(put["speedup"], 9.0);
  EXPECT_EQ(put["limit_ns"], 8.5);
  EXPECT_EQ(put["oriel_range"], (json{10.0, 14.0}));
  const auto hosts = parsed(print_json(canned_hosts()));
  EXPECT_EQ(hosts.size(), canned_hosts().size());
  for (const json& object : hosts) EXPECT_EQ(object.size(), 13u) << object;
}

TEST(Json, IsReadAsItWasWritten) {
  const run_facts facts{{"date", "today"}, {"command", "oriel-bench --html \"a\""}};
  const saved_run run = read(print_json(facts) + print_json(canned()));
  EXPECT_EQ(run.facts, facts);
  EXPECT_EQ(print_json(run.rows), print_json(canned()));
  const saved_run of_mpi = read(print_json(facts) + print_json(canned_hosts()));
  EXPECT_TRUE(of_mpi.rows.empty());
  EXPECT_EQ(print_json(of_mpi.mpi_rows), print_json(canned_hosts()));
}

TEST(Json, OfBeforeRangesIsRead) {
  const saved_run run = read(
      R"({"case":"put_flush","ranks":2,"bytes":8,"oriel_ns":2.0,"limit_ns":null,"peer":"mpich",)"
      R"("peer_ns":40.0,"speedup":20.0})");
  ASSERT_EQ(run.rows.size(), 1u);
  EXPECT_TRUE(run.facts.empty());
  EXPECT_EQ(run.rows[0].oriel->most, 2.0);
  EXPECT_FALSE(run.rows[0].limit);
  EXPECT_EQ(run.rows[0].speedup(), 20.0);
}

std::string refusal(const std::string& text) {
  try {
    read(text);
  } catch (const std::runtime_error& e) {
    return e.what();
  }
  return "";
}

TEST(Json, ThatIsNoRunIsRefusedByItsLine) {
  EXPECT_THAT(refusal(print_json(canned()) + "{\"case\":\"fence\"}\n"),
              HasSubstr("line 6 is no row of a run: "));
  EXPECT_THAT(refusal("\nput_flush 2 8 10\n"), HasSubstr("line 2 is no row"));
  EXPECT_THAT(refusal("\"a text\"\n"), HasSubstr("line 1 is no row"));
  EXPECT_THAT(refusal(print_json(canned_hosts()) + print_json(canned())),
              HasSubstr("is a row of another sort"));
  EXPECT_EQ(refusal("{\"date\":\"today\"}\n"), "it has no row of a run");
}

TEST(Report, PutsRatiosBesideTheBarsThatTheyJudge) {
  const report r = report_of(run_facts{}, canned());
  ASSERT_EQ(r.rows.size(), 3u);
  const report_row& put = r.rows[0];
  EXPECT_EQ(put.key.name, "put_flush") << "measured first";
  std::vector<std::string> bars, ratios;
  for (const report_bar& bar : put.bars) {
    bars.push_back(bar.who + " " + bar.style);
    ratios.push_back(bar.ratio ? ratio_text(*put.ratios[*bar.ratio].value) : "");
  }
  EXPECT_THAT(bars, ElementsAre("oriel oriel", "limit limit", "MPICH peer0", "Open MPI peer1"));
  EXPECT_THAT(ratios, ElementsAre("1.29", "", "80.0", "9.00"));
  EXPECT_EQ(put.ratios[0].met, true) << "1.29x of 1.5x";
  EXPECT_EQ(put.ratios[2].met, true) << "9x of 8x";
  EXPECT_EQ(put.ratios[2].aim, "≥ 8");
  EXPECT_EQ(r.rows[1].ratios[2].met, false) << "lock: 3x of 5x";
  EXPECT_EQ(r.rows[1].bars[1].failure, "exit 1");
  EXPECT_EQ(r.sorts[2].middle, 6.0) << "of 9 and 3";
}

TEST(Report, OfMpiProgramsHasARowForEachLibrary) {
  const report r = report_of(run_facts{}, canned_hosts());
  std::vector<std::string> rows;
  for (const report_row& row : r.rows) rows.push_back(row.key.name + " " + row.host);
  EXPECT_THAT(rows, ElementsAre("put_flush MPICH", "put_flush Open MPI", "compare_swap Open MPI",
                                "fence MPICH"));
  EXPECT_EQ(r.rows[0].ratios[0].met, true) << "21x of 20x";
  EXPECT_EQ(r.rows[1].ratios[0].met, false) << "3x of 4x";
  EXPECT_EQ(r.rows[3].ratios[0].met, false) << "oriel did not finish";
  EXPECT_EQ(r.rows[3].bars[0].failure, "more than 60 s");
}

TEST(Page, HoldsEveryTimeAndLoadsNothing) {
  const std::string html = page(report_of(
      run_facts{{"date", "2026-11-25"}, {"command", "oriel-bench <script>alert(1)</script>"}},
      canned()));
  for (const char* text :
       {"2026-11-25", "11.0 ns", "8.50 ns", "99.0 ns", "880 ns", "50.0 ns", "exit 1",
        "10.0 ns to 14.0 ns in all rounds", "≥ 8 met", "≥ 5 missed", "one 8-byte element"})
    EXPECT_THAT(html, HasSubstr(text));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)"));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  for (const char* loads : {"://", "src=", "@import", "url(", "<link", "nan", "inf%"})
    EXPECT_THAT(html, Not(HasSubstr(loads)));
}

TEST(Page, DrawsWhatIsMuchLongerThanOrielTorn) {
  const std::string html = page(report_of(run_facts{}, canned()));
  const std::size_t torn = html.find("<path class=\"torn\"");
  ASSERT_NE(torn, std::string::npos) << "880 ns beside 11";
  EXPECT_GT(torn, html.find(">MPICH<"));
  EXPECT_LT(torn, html.find(">Open MPI<")) << "99 ns fit";
  EXPECT_THAT(html, HasSubstr("width=\"90.00%\"")) << "of ten times 11 ns";
}

TEST(Page, ChartsCasesOfSeveralSizes) {
  samples oriel;
  oriel.take("put_bw 2 4096 40\nput_bw 2 16384 100\n");
  EXPECT_THAT(page(report_of(run_facts{}, join(oriel, {}, {}, {}))), Not(HasSubstr("<polyline")));
  oriel.take("put_bw 2 65536 300\n");
  const std::string html = page(report_of(run_facts{}, join(oriel, {}, {}, {})));
  EXPECT_THAT(html, HasSubstr("<polyline"));
  EXPECT_THAT(html, HasSubstr("200 GB/s"));
}

TEST(CaseTexts, AreThoseOfTheBenchmarksPage) {
  const auto texts = case_texts(benchmarks_text);
  EXPECT_EQ(texts.at("fence"), "one epoch with one put");
  EXPECT_EQ(texts.at("get_flush"), "one 8-byte element and a flush");
  EXPECT_THAT(texts.at("map_insert"), Not(HasSubstr("](")));
  std::vector<std::string> without;
  for (const std::string& name : order_of_cases())
    if (name.starts_with("net_") && texts.count(name) == 0) without.push_back(name);
  EXPECT_TRUE(without.empty()) << ::testing::PrintToString(without);
}

TEST(Texts, HaveThreeDigits) {
  EXPECT_EQ(time_text(0.276), "0.276 ns");
  EXPECT_EQ(time_text(9.996), "10.0 ns");
  EXPECT_EQ(time_text(999.6), "1.00 µs");
  EXPECT_EQ(time_text(249e3), "249 µs");
  EXPECT_EQ(time_text(2.79e9), "2.79 s");
  EXPECT_EQ(size_text(4096), "4 KiB");
  EXPECT_EQ(escaped("<a b=\"c&d\">"), "&lt;a b=&quot;c&amp;d&quot;&gt;");
}

}  // namespace
}  // namespace bench
