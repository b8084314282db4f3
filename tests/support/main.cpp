// The tests' main. Rank 0 alone prints what passes; every rank prints what fails.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace {

// As any launcher sets it; null when none has.
const char* rank_of_job() {
  for (const char* name : {"ORIEL_RANK", "PMIX_RANK", "PMI_RANK"})
    if (const char* rank = std::getenv(name)) return rank;
  return nullptr;
}

// ORIEL_TEST_IN_TURN: the ranks of HIP's tests choose devices in turn, as programs must, since HIP
// does not distinguish a thread that has chosen none. What begins by itself, as oriel's threads,
// stays on device 0.
void choose_device() {
  if (std::getenv("ORIEL_TEST_IN_TURN") == nullptr) return;
  const char* const rank = rank_of_job();
  void* const hip = dlopen("libamdhip64.so.5", RTLD_NOW);
  if (rank == nullptr || hip == nullptr) std::abort();
  int devices = 0;
  reinterpret_cast<int (*)(int*)>(dlsym(hip, "hipGetDeviceCount"))(&devices);
  reinterpret_cast<int (*)(int)>(dlsym(hip, "hipSetDevice"))(std::atoi(rank) % devices);
}

}  // namespace

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  choose_device();
  const char* rank = rank_of_job();
  if (rank != nullptr && std::string(rank) != "0") {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    class failures_only : public testing::EmptyTestEventListener {
      void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.failed()) return;
        std::fprintf(stderr, "rank %s: %s:%d: %s\n", rank_of_job(),
                     result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                     result.message());
      }
    };
    listeners.Append(new failures_only);
  }
  return RUN_ALL_TESTS();
}
