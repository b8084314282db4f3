// A program that embeds oriel and lends its ranks' communication: here a rendezvous of its own,
// with the ranks in reverse, so that a session's rank can come from the callbacks alone.
#include <cstring>

#include "session/bootstrap/rendezvous.hpp"
#include "tests/support/job.hpp"

namespace oriel::testing {
namespace {

class embedder {
 public:
  embedder() : way_(sessions::read_environment()) {}
  session_options options() {
    const int last = way_.size() - 1;
    session_options o;
    o.bootstrap = {
        last - way_.rank(), way_.size(), [this](const void* mine, std::size_t bytes, void* all) {
          ++calls;
          const auto parts = way_.allgather(std::string(static_cast<const char*>(mine), bytes));
          auto* to = static_cast<char*>(all) + parts.size() * bytes;
          for (const std::string& part : parts) std::memcpy(to -= bytes, part.data(), bytes);
          return status();
        }};
    return o;
  }
  [[nodiscard]] int rank() const { return way_.size() - 1 - way_.rank(); }
  [[nodiscard]] int size() const { return way_.size(); }
  int calls = 0;

 private:
  sessions::rendezvous way_;
};

TEST(Embedding, SessionsComeAndGoOverTheProgramsAllgather) {
  embedder program;
  for (int i = 0; i < 3; ++i) {
    const int before = program.calls;
    session s(program.options());
    EXPECT_GT(program.calls, before);
    ASSERT_EQ(s.world().size(), program.size());
    EXPECT_EQ(s.world().me().value, program.rank());
    const auto all = s.world().allgather(program.rank());
    for (int r = 0; r < program.size(); ++r) EXPECT_EQ(all[static_cast<std::size_t>(r)], r);
    auto w = window<int>::allocate(s.world(), 1, assertion::fence | assertion::local_load_store);
    EXPECT_TRUE(w.fence().ok());
    EXPECT_TRUE(w.put(s.world().next(), disp{0}, program.rank()).ok());
    EXPECT_TRUE(w.fence().ok());
    EXPECT_EQ(w.local()[0], s.world().previous().value);
    EXPECT_TRUE(s.world().barrier().ok());
  }
}

}  // namespace
}  // namespace oriel::testing
