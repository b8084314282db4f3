#include "kinds/negotiate.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <vector>

#include "kinds/device_kind.hpp"
#include "kinds/device_runtime.hpp"
#include "oriel/errc.hpp"

namespace oriel::kinds {
namespace {

using text = std::optional<std::string>;

// A machine with all of CUDA's kinds but for what is lacking, and nothing of the other vendors.
provider_lookup machine(const std::map<std::string, std::string>& lacking_of_cuda = {}) {
  return [lacking_of_cuda](std::string_view kind) -> std::optional<provider> {
    if (!vendor_named(kind)) return find_provider(kind);
    provider p{std::string(kind), {"host", "device", "managed"}};
    if (kind == "cuda")
      p.lacking = lacking_of_cuda;
    else
      p.absent = std::string(kind) + " is not here";
    return p;
  };
}

TEST(RequestedKinds, AreTheSessionsElseTheLaunchersElseTheDefault) {
  const text choices[] = {std::nullopt, "", "system", "mpi:alloc_mem,cuda"};
  for (const text& launcher : choices)
    for (const text& session : choices)
      EXPECT_EQ(requested_kinds(launcher, session),
                session ? *session : launcher.value_or("mpi,system"));
}

TEST(ProvidedKinds, ComeBackAsTheyWereWritten) {
  const struct {
    const char* requested;
    const char* provided;
  } rows[] = {
      {"mpi,system", "mpi,system"},
      {"", ""},                   // an empty request: none
      {"rocm,system", "system"},  // what cannot be is left out
      {"rocm:device", ""},
      {"mpi:alloc_mem", "mpi:alloc_mem"},
      {"mpi:win_allocate:alloc_mem", "mpi:win_allocate:alloc_mem"},
      {"mpi:alloc_mem:nonsense", ""},  // one unknown restrictor
      {"system:anything", ""},         // system has no restrictors
      {"System", ""},                  // exact names only
      {" system , mpi ", "system,mpi"},
      {"cuda:managed,cuda:device,system", "cuda:managed,cuda:device,system"},
      {"cuda:shared", ""},  // level_zero's word
      {"telepathy", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(provided_kinds(row.requested, machine()), row.provided);
}

// Every set of restrictors, on machines that lack every set of them.
TEST(ProvidedKinds, AreThoseThatLackNothing) {
  const std::vector<std::string> all{"host", "device", "managed"};
  int provided = 0;
  for (unsigned lacking = 0; lacking < 8; ++lacking) {
    std::map<std::string, std::string> reasons;
    for (unsigned r = 0; r < 3; ++r)
      if ((lacking & (1u << r)) != 0) reasons.emplace(all[r], "it was left out");
    const auto lookup = machine(reasons);
    for (unsigned asked = 0; asked < 8; ++asked) {
      std::string element = "cuda";
      for (unsigned r = 0; r < 3; ++r)
        if ((asked & (1u << r)) != 0) element += ":" + all[r];
      const unsigned needed = asked == 0 ? 7u : asked;  // no restrictor: all of them
      const bool can = (needed & lacking) == 0;
      SCOPED_TRACE(element + ", lacking " + std::to_string(lacking));
      EXPECT_EQ(provided_kinds(element, lookup), can ? element : "");
      EXPECT_EQ(provided_kinds("mpi," + element + ",rocm,system", lookup),
                can ? "mpi," + element + ",system" : "mpi,system");
      if (can)
        ++provided;
      else
        EXPECT_NE(why_not_provided(element, element, lookup).find("it was left out"),
                  std::string::npos);
    }
  }
  EXPECT_EQ(provided, 1 + 7 + 3 * 3 + 3 * 1);  // none, and so on, lacking
}

TEST(ProvidedKinds, RejectAMalformedRequestBeforeAnyLookup) {
  const provider_lookup never = [](std::string_view) -> std::optional<provider> {
    ADD_FAILURE() << "looked up";
    return std::nullopt;
  };
  EXPECT_THROW(provided_kinds("cuda,,system", never), error);
  EXPECT_THROW(provided_kinds("cuda,mpi::x", never), error);
}

TEST(ProvidedKinds, LookUpOnlyWhatIsRequested) {
  std::vector<std::string> looked_up;
  const provider_lookup noting = [&](std::string_view kind) {
    looked_up.emplace_back(kind);
    return machine()(kind);
  };
  provided_kinds("mpi,rocm:device,system", noting);
  EXPECT_EQ(std::count(looked_up.begin(), looked_up.end(), "cuda"), 0);
  EXPECT_EQ(std::count(looked_up.begin(), looked_up.end(), "rocm"), 1);
}

TEST(ProvidedKinds, LoadNoVendorsLibraryForMpiAndSystem) {
  EXPECT_EQ(provided_kinds("mpi,system"), "mpi,system");
  EXPECT_FALSE(any_runtime_loaded());
  std::ifstream maps("/proc/self/maps");
  const std::string mapped{std::istreambuf_iterator<char>(maps), {}};
  ASSERT_NE(mapped.find("libc.so"), std::string::npos);
  for (const char* library : {"libcuda", "libamdhip", "libze_loader"})
    EXPECT_EQ(mapped.find(library), std::string::npos) << library;
}

TEST(WhyNotProvided, NamesWhatWasMissing) {
  const auto why = [](const char* kind, const char* requested) {
    return why_not_provided(kind, requested, machine({{"managed", "pages do not move"}}));
  };
  EXPECT_NE(why("cuda:device", "mpi,system").find("was not requested"), std::string::npos);
  EXPECT_NE(why("cuda:device", "cuda:host").find("was not requested"), std::string::npos);
  // The unrestricted kind includes managed memory.
  EXPECT_EQ(why("cuda:device", "cuda"),
            "'cuda' was requested, and cuda:managed cannot be had: pages do not move");
  EXPECT_EQ(why("rocm:device", "system,rocm:device"), "rocm is not here");
  EXPECT_NE(why("cuda:shared", "cuda:shared").find("valid: device, host, managed"),
            std::string::npos);
  EXPECT_NE(why("telepathy", "telepathy").find("valid: system, mpi, cuda, rocm, level_zero"),
            std::string::npos);
}

TEST(DeviceKinds, HaveMpisNames) {
  EXPECT_EQ(kind_text(vendor::cuda, residence::managed), "cuda:managed");
  EXPECT_EQ(kind_text(vendor::level_zero, residence::managed), "level_zero:shared");
  EXPECT_EQ(vendor_named("rocm"), vendor::rocm);
  EXPECT_EQ(vendor_named("ROCm"), std::nullopt);
  EXPECT_EQ(residence_named(vendor::level_zero, "managed"), std::nullopt);
  EXPECT_EQ(residence_named(vendor::rocm, "host"), residence::host);
}

TEST(AcceptedAssertion, IsIgnoredAsAWholeWhenOneKindIsUnsupported) {
  const auto provided = memory_kind_list::parse("mpi,system");
  EXPECT_TRUE(accepted_assertion("system", provided));
  EXPECT_TRUE(accepted_assertion("mpi:alloc_mem,system", provided));
  EXPECT_TRUE(accepted_assertion("", provided));
  EXPECT_FALSE(accepted_assertion("system,cuda", provided));
  EXPECT_FALSE(accepted_assertion("cuda", provided));
  EXPECT_FALSE(accepted_assertion("system,,mpi", provided));
  EXPECT_FALSE(accepted_assertion("system:huge", provided)) << "no such restrictor";
  EXPECT_FALSE(accepted_assertion("mpi", memory_kind_list::parse("mpi:alloc_mem")));
  EXPECT_TRUE(accepted_assertion("mpi:alloc_mem", memory_kind_list::parse("mpi:alloc_mem")));
}

}  // namespace
}  // namespace oriel::kinds
