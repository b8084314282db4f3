// The tests' main. Rank 0 alone prints what passes; every rank prints what fails.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  const char* rank = std::getenv("ORIEL_RANK");
  if (rank != nullptr && std::string(rank) != "0") {
    auto& listeners = testing::UnitTest::GetInstance()->listeners();
    delete listeners.Release(listeners.default_result_printer());
    class failures_only : public testing::EmptyTestEventListener {
      void OnTestPartResult(const testing::TestPartResult& result) override {
        if (!result.failed()) return;
        std::fprintf(stderr, "rank %s: %s:%d: %s\n", std::getenv("ORIEL_RANK"),
                     result.file_name() != nullptr ? result.file_name() : "?", result.line_number(),
                     result.message());
      }
    };
    listeners.Append(new failures_only);
  }
  return RUN_ALL_TESTS();
}
