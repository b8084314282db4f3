#include "session/node/liveness.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "session/bootstrap/random_bytes.hpp"
#include "session/bootstrap/together.hpp"
#include "session/node/signal_masked_thread.hpp"

namespace oriel::sessions {

// The detector and its thread, which ends with this object.
class liveness::watching {
 public:
  watching(failure_detector::membership self, listener where, fates& known, const settings& how)
      : detector_(std::move(self), std::move(where), known, how),
        thread_(start_quietly([this] { detector_.run(); })) {}
  ~watching() {
    detector_.leave();
    thread_.join();
  }
  watching(const watching&) = delete;
  watching& operator=(const watching&) = delete;
  failure_detector* operator->() noexcept { return &detector_; }

 private:
  failure_detector detector_;
  std::thread thread_;
};

liveness::settings liveness::settings_for(const job_description& job) noexcept {
  settings s;
  s.silence = silence_of(job);
  // The other ranks wait meanwhile for this one's outcome.
  s.opening = job.timeout / 2;
  return s;
}

liveness::liveness(bootstrap& launcher, const settings& how)
    : settings_(how), known_(launcher.size()) {
  const std::string what = "the nodes cannot watch over each other";
  listener here;
  auto places = together(launcher, what, [&] {
    here = listen_for_other_nodes(settings_.interface);
    const auto drawn = random_value<std::uint64_t>();
    return std::string(reinterpret_cast<const char*>(&drawn), sizeof drawn) +
           std::string(reinterpret_cast<const char*>(&here.where), sizeof here.where);
  });
  together(launcher, what, [&] {
    failure_detector::membership self;
    self.me = launcher.rank();
    std::memcpy(&self.job, places[0].data(), sizeof self.job);
    for (std::string& p : places) {
      sockaddr_in where{};
      if (p.size() != sizeof self.job + sizeof where)
        throw error(errc::system, "a rank announced an address of a wrong length");
      std::memcpy(&where, p.data() + sizeof self.job, sizeof where);
      self.places.push_back(where);
    }
    watching_ = std::make_unique<watching>(std::move(self), std::move(here), known_, settings_);
    if (const std::string hindrance = (*watching_)->wait_until_linked(); !hindrance.empty())
      throw error(errc::system, hindrance);
    return std::string();
  });
  (*watching_)->all_are_linked();
}

liveness::~liveness() = default;

void liveness::report(int r, fate f) noexcept {
  if (watching_ == nullptr || known_.of(r) != fate::here) return;
  try {
    (*watching_)->report(r, f);
  } catch (const std::bad_alloc&) {
    // It is found out in another way, a little later.
  }
}

std::size_t liveness::links() const noexcept {
  return watching_ == nullptr ? 0 : (*watching_)->links();
}

void liveness::leave() noexcept {
  watching_.reset();
}

}  // namespace oriel::sessions
