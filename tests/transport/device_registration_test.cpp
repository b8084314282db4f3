// What is accepted of a provider's claims about device memory, and what the libfabric at hand does.
#include "transport/device_registration.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rdma/fi_errno.h>

#include <vector>

#include "oriel/errc.hpp"
#include "tests/support/scoped_variable.hpp"
#include "tests/transport/libfabric_at_hand.hpp"
#include "transport/device_interface.hpp"

namespace oriel::transport {
namespace {

using kinds::vendor;
using oriel::testing::libfabric_is_built_for;
using oriel::testing::scoped_variable;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(DeviceRegistration, IsBelievedOnlyWhenClaimedAndDone) {
  const auto told = [](bool claimed, std::optional<int> code, const char* no_memory = "") {
    return objection({"verbs;ofi_rxm", claimed, code, no_memory}, vendor::cuda);
  };
  EXPECT_EQ(told(true, 0), "");
  EXPECT_EQ(told(false, 0), "verbs;ofi_rxm does not offer FI_HMEM");
  EXPECT_EQ(told(false, {}), "verbs;ofi_rxm does not offer FI_HMEM");
  EXPECT_EQ(told(true, -FI_ENOSYS),
            "verbs;ofi_rxm claims FI_HMEM but does not register FI_HMEM_CUDA: fi_mr_regattr: "
            "Function not implemented");
  EXPECT_EQ(told(true, {}, "no device is visible"), "no device is visible");
  EXPECT_THAT(objection({"shm", true, -FI_EINVAL, ""}, vendor::level_zero),
              HasSubstr("FI_HMEM_ZE"));
}

TEST(DeviceRegistration, HasAnAnswerBeforeItIsAsked) {
  device_registrations answers;
  for (const vendor v : kinds::all_vendors)
    EXPECT_EQ(answers[v], "the session provides no memory of this kind");
  answers.answer(vendor::rocm, "");
  EXPECT_THAT(answers[vendor::rocm], IsEmpty());
  EXPECT_FALSE(answers[vendor::cuda].empty());
}

TEST(DevicePlace, IsToldToLibfabricInItsWords) {
  fi_mr_attr about{};
  EXPECT_EQ(describe({vendor::cuda, kinds::residence::device, 3}, about), FI_HMEM_DEVICE_ONLY);
  EXPECT_EQ(about.iface, FI_HMEM_CUDA);
  EXPECT_EQ(about.device.cuda, 3);
  EXPECT_EQ(describe({vendor::level_zero, kinds::residence::host, 1}, about), FI_HMEM_HOST_ALLOC);
  EXPECT_EQ(about.iface, FI_HMEM_ZE);
  EXPECT_EQ(about.device.ze, 1);
  EXPECT_EQ(describe({vendor::rocm, kinds::residence::managed, 2}, about), 0u);
  EXPECT_EQ(about.iface, FI_HMEM_ROCR);
  EXPECT_EQ(about.device.reserved, 0u) << "ROCr finds the device by the address";
}

// As a session opens it when it provides memory of devices.
struct opened {
  explicit opened(const char* name) : only("ORIEL_FABRIC", name) {
    const auto usable = usable_providers({});
    if (usable.empty()) throw error(errc::system, std::string("no provider ") + name);
    const info_list with = with_device_memory(*usable.front());
    claims = with != nullptr;
    port = std::make_unique<endpoint>(claims ? *with : *usable.front());
  }
  scoped_variable only;
  bool claims = false;
  std::unique_ptr<endpoint> port;
};

class Provider : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(OfTheHost, Provider, ::testing::Values("tcp;ofi_rxm", "shm", "sockets"),
                         [](const auto& i) { return std::string(i.param, 3); });

TEST_P(Provider, RegistersWhatItWasBuiltForAndTellsWhyNot) {
  opened provider(GetParam());
  EXPECT_EQ(provider.claims, std::string(GetParam()) == "shm");
  for (const vendor v : kinds::all_vendors) {
    const std::string why_not = objection(try_registration(*provider.port, v), v);
    const bool expected =
        provider.claims && libfabric_is_built_for(v) && kinds::runtime(v) != nullptr;
    EXPECT_EQ(why_not.empty(), expected) << kinds::name(v) << ": " << why_not;
    if (!provider.claims) {
      EXPECT_EQ(why_not, std::string(GetParam()) + " does not offer FI_HMEM");
    }
  }
}

TEST(Shm, RefusesInterfacesThatItWasNotBuiltFor) {
  opened provider("shm");
  std::vector<std::byte> memory(4096);
  for (const vendor v : kinds::all_vendors) {
    if (libfabric_is_built_for(v)) continue;
    const device_place pretended{v, kinds::residence::device, 0};
    EXPECT_EQ(provider.port->try_to_register(memory.data(), memory.size(), pretended), -FI_ENOSYS);
    try {
      const auto region = provider.port->expose(memory.data(), memory.size(), 1, pretended);
      ADD_FAILURE() << "host memory was taken for memory of " << kinds::name(v);
    } catch (const error& e) {
      EXPECT_EQ(e.code(), errc::system);
      EXPECT_THAT(e.what(), HasSubstr("fi_mr_regattr failed on provider shm: Function not"));
    }
  }
}

TEST(Sockets, IsNotBelievedAlthoughItRegistersAnything) {
  opened provider("sockets");
  std::vector<std::byte> memory(4096);
  const device_place pretended{vendor::cuda, kinds::residence::device, 0};
  EXPECT_EQ(provider.port->try_to_register(memory.data(), memory.size(), pretended), 0)
      << "this libfabric's sockets looks at the interface: docs/PROVIDERS.md says otherwise";
  EXPECT_EQ(objection(try_registration(*provider.port, vendor::cuda), vendor::cuda),
            "sockets does not offer FI_HMEM");
}

TEST(LocalRegistration, IsWantedOfDeviceBuffersAloneByWhoMovesThem) {
  opened provider("shm");
  std::vector<std::byte> memory(4096);
  EXPECT_TRUE(provider.port->wants_local_registration_of_devices()) << "FI_MR_HMEM";
  EXPECT_FALSE(provider.port->wants_local_registration());
  EXPECT_EQ(provider.port->expose_locally(memory.data(), memory.size()).descriptor(), nullptr);
  EXPECT_FALSE(opened("tcp;ofi_rxm").port->wants_local_registration_of_devices());
}

}  // namespace
}  // namespace oriel::transport
