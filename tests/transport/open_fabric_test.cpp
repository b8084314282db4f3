// The fabric that a session with memory of devices opens: one form of one provider on every rank,
// and an answer for every kind. Run over each provider, four ranks on two pretended nodes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "session/session_state.hpp"
#include "tests/transport/libfabric_at_hand.hpp"
#include "transport/libfabric.hpp"

namespace oriel::transport {
namespace {

using kinds::vendor;

// The job's, which opens without memory of devices; a test's fabric stands beside its own.
detail::session_state& job() {
  static detail::session_state opened{session_options{}};
  return opened;
}

std::unique_ptr<sessions::messenger> open(const std::string& provided) {
  static std::vector<std::unique_ptr<sessions::node_memory>> kept;  // one for each
  const auto& memory = kept.emplace_back(sessions::node_memory::make(1, 0));
  return sessions::open_messenger(job().launcher(), job().job(), *memory,
                                  sessions::read_environment(), {""},
                                  memory_kind_list::parse(provided));
}

const libfabric& of(const std::unique_ptr<sessions::messenger>& messages) {
  return static_cast<const libfabric&>(*messages);
}

bool offers_device_memory(const std::unique_ptr<sessions::messenger>& messages) {
  return (static_cast<libfabric&>(*messages).port().info().caps & FI_HMEM) != 0;
}

TEST(OpenFabric, AsksForDeviceMemoryOnlyWhenSomeRankProvidesIt) {
  const auto messages = open("mpi,system");
  EXPECT_FALSE(offers_device_memory(messages));
  for (const vendor v : kinds::all_vendors)
    EXPECT_EQ(of(messages).registers(v), "the session provides no memory of this kind");
}

TEST(OpenFabric, AnswersForEveryKind) {
  const auto messages = open("cuda,rocm:device,level_zero");
  const bool claims = of(messages).provider() == "shm";
  EXPECT_EQ(offers_device_memory(messages), claims);
  for (const vendor v : kinds::all_vendors) {
    const std::string& why_not = of(messages).registers(v);
    const bool expected =
        claims && testing::libfabric_is_built_for(v) && kinds::runtime(v) != nullptr;
    EXPECT_EQ(why_not.empty(), expected) << kinds::name(v) << ": " << why_not;
    if (!claims) {
      EXPECT_EQ(why_not, of(messages).provider() + " does not offer FI_HMEM");
    }
  }
}

TEST(OpenFabric, TakesOneFormOnEveryRank) {
  const bool mine = job().job().rank() == 1;
  const auto messages = open(mine ? "level_zero" : "system");
  EXPECT_EQ(offers_device_memory(messages), of(messages).provider() == "shm");
  const std::string& why_not = of(messages).registers(vendor::level_zero);
  EXPECT_EQ(why_not == "the session provides no memory of this kind", !mine) << why_not;
}

}  // namespace
}  // namespace oriel::transport
