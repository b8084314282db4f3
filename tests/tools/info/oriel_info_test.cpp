// oriel-info as its user sees it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "kinds/provider.hpp"
#include "kinds/registry.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/tools/run/launched.hpp"

namespace {

using oriel::testing::launched_program;
using json = nlohmann::json;

json answer(std::vector<std::string> options) {
  options.emplace_back("--json");
  launched_program run(ORIEL_INFO, options);
  EXPECT_EQ(run.status(), 0) << run.output;
  return json::parse(run.output);
}

TEST(OrielInfo, TellsWhatTcpDoes) {
  const json told = answer({"--providers", "--provider", "tcp;ofi_rxm", "--patience", "20"});
  ASSERT_EQ(told.size(), 1u) << "only one section was asked for";
  const json& list = told["providers"]["providers"];
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0]["name"], "tcp;ofi_rxm");
  EXPECT_TRUE(list[0]["says"]["atomics"].get<bool>());
  const json& does = list[0]["does"];
  EXPECT_TRUE(does["delivery_complete"].value("works", false)) << does["delivery_complete"];
  EXPECT_GT(does["delivery_complete"].value("arrived", 0), 0);
  EXPECT_EQ(does["completion"], "delivery");
  EXPECT_TRUE(does["order"].value("works", false)) << does["order"];
  EXPECT_TRUE(does["inject"].value("works", false)) << does["inject"];
  EXPECT_TRUE(does["atomics"].value("works", false)) << does["atomics"];
  EXPECT_TRUE(does["memory"]["system"].value("works", false)) << does["memory"];
  for (const auto v : oriel::kinds::all_vendors) {
    const std::string kind(oriel::kinds::name(v));
    EXPECT_FALSE(does["memory"][kind]["works"].get<bool>());
    EXPECT_EQ(does["memory"][kind]["why_not"], "tcp;ofi_rxm does not offer FI_HMEM");
  }
}

TEST(OrielInfo, TellsKindsAndTopology) {
  const json told = answer({"--kinds", "--topology"});
  EXPECT_EQ(told.size(), 2u);
  EXPECT_EQ(told["kinds"]["provided"], "mpi,system");
  EXPECT_GE(told["topology"]["cores"].get<int>(), 1);
  EXPECT_GE(told["topology"]["numa_nodes"].get<int>(), 1);
  EXPECT_NE(told["topology"]["summary"].get<std::string>().find("NUMA node"), std::string::npos);
}

json kind(const json& told, const std::string& name) {
  for (const json& k : told["kinds"]["kinds"])
    if (k["kind"] == name) return k;
  ADD_FAILURE() << name << " is not listed: " << told;
  return {};
}

TEST(OrielInfo, TellsEveryKindOrWhyNot) {
  const json told = answer({"--kinds"});
  EXPECT_EQ(kind(told, "mpi")["restrictors"],
            json({"alloc_mem", "win_allocate", "win_allocate_shared"}));
  for (const std::string_view name : oriel::kinds::known_kinds()) {
    const json k = kind(told, std::string(name));
    if (!k["available"].get<bool>()) {
      EXPECT_FALSE(k["reason"].get<std::string>().empty()) << k;
    }
  }
}

#ifdef TEST_DRIVER
TEST(OrielInfo, TellsDevicesAndWhatTheyLack) {
  const oriel::testing::scoped_variable path("LD_LIBRARY_PATH", TEST_DRIVER);
  const oriel::testing::scoped_variable refuse("ORIEL_TEST_REFUSE", "managed");
  const oriel::testing::scoped_variable devices("ORIEL_TEST_DEVICES", "3");
  const oriel::testing::scoped_variable request("ORIEL_MEMORY_ALLOC_KINDS", "cuda,cuda:device,mpi");
  const json told = answer({"--kinds"});
  const json cuda = kind(told, "cuda");
  EXPECT_TRUE(cuda["available"].get<bool>()) << cuda;
  EXPECT_EQ(cuda["restrictors"], json({"device", "host"}));
  EXPECT_FALSE(cuda["lacking"]["managed"].get<std::string>().empty());
  ASSERT_EQ(cuda["devices"].size(), 3u);
  EXPECT_EQ(cuda["devices"][2]["ordinal"], 2);
  EXPECT_NE(cuda["devices"][2]["description"].get<std::string>().find("compute capability"),
            std::string::npos);
  EXPECT_EQ(told["kinds"]["provided"], "cuda:device,mpi");
  launched_program text(ORIEL_INFO, {"--kinds"});
  EXPECT_EQ(text.status(), 0);
  for (const char* part : {"yes: device, host", "no managed: ", "device 2: "})
    EXPECT_NE(text.output.find(part), std::string::npos) << part << text.output;
}
#endif

// Where there are no headers of CUDA's to build with, nothing is loaded and nothing breaks.
TEST(OrielInfo, SurvivesALibraryThatBreaks) {
  const oriel::testing::scoped_variable path("LD_LIBRARY_PATH", BROKEN_DRIVER);
  const oriel::testing::scoped_variable request("ORIEL_MEMORY_ALLOC_KINDS", "cuda:device,system");
  const json told = answer({"--kinds"});
  const json cuda = kind(told, "cuda");
  EXPECT_FALSE(cuda["available"].get<bool>());
  EXPECT_EQ(told["kinds"]["provided"], "system");
#ifdef TEST_DRIVER
  EXPECT_NE(cuda["reason"].get<std::string>().find("killed by signal 6"), std::string::npos)
      << cuda;
#endif
}

TEST(OrielInfo, TellsVariablesAndKeepsTheSecret) {
  const oriel::testing::scoped_variable secret("ORIEL_JOB_SECRET", "open sesame");
  const oriel::testing::scoped_variable timeout("ORIEL_TIMEOUT", "17");
  const json told = answer({"--environment"});
  EXPECT_EQ(told.dump().find("sesame"), std::string::npos);
  for (const json& v : told["environment"])
    if (v["name"] == "ORIEL_TIMEOUT") {
      EXPECT_EQ(v["value"], "17");
      EXPECT_EQ(v["default"], "60");
    }
}

TEST(OrielInfo, PrintsText) {
  launched_program run(ORIEL_INFO, {"--kinds", "--topology", "--environment"});
  EXPECT_EQ(run.status(), 0);
  for (const char* text : {"memory kinds", "topology", "environment", "ORIEL_FABRIC_FLUSH"})
    EXPECT_NE(run.output.find(text), std::string::npos) << text;
}

TEST(OrielInfo, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(launched_program(ORIEL_INFO, {"--colour"}).status(), 2);
  EXPECT_EQ(launched_program(ORIEL_INFO, {"--providers", "--patience", "no"}).status(), 2);
  launched_program unknown(ORIEL_INFO, {"--providers", "--provider", "pigeons"});
  EXPECT_EQ(unknown.status(), 2);
  EXPECT_NE(unknown.output.find("libfabric lists no provider 'pigeons' here"), std::string::npos)
      << unknown.output;
}

}  // namespace
