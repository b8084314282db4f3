#include "session/node/liveness.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "session/bootstrap/random_bytes.hpp"
#include "session/bootstrap/together.hpp"
#include "session/node/signal_masked_thread.hpp"
#include "sync/system.hpp"

namespace oriel::sessions {

// The detector and its thread, which ends with this object.
class liveness::watching {
 public:
  watching(const failure_detector::membership& self, std::vector<listener> where, fates& known,
           const settings& how)
      : detector_(self, std::move(where), known, how),
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
  sync::thread thread_;
};

liveness::settings liveness::settings_for(const job_description& job) noexcept {
  settings s;
  s.silence = silence_of(job);
  // The other ranks wait meanwhile for this one's outcome.
  s.opening = job.timeout / 2;
  return s;
}

liveness::liveness(bootstrap& launcher, node_memory& memory, const settings& how)
    : settings_(how), known_(launcher.size()) {
  const std::string what = "the nodes cannot watch over each other";
  const std::size_t rails = settings_.interfaces.size();
  std::vector<listener> here;
  auto announced = together(launcher, what, [&] {
    const auto drawn = random_value<std::uint64_t>();
    std::string all(reinterpret_cast<const char*>(&drawn), sizeof drawn);
    for (const std::string& interface : settings_.interfaces) {
      here.push_back(listen_for_other_nodes(interface));
      all.append(reinterpret_cast<const char*>(&here.back().where), sizeof(sockaddr_in));
    }
    return all;
  });
  together(launcher, what, [&] {
    std::uint64_t job = 0;
    std::vector<std::vector<std::string>> places(rails);
    for (const std::string& a : announced) {
      if (a.size() != sizeof job + rails * sizeof(sockaddr_in))
        throw error(errc::system, "a rank announced an address of a wrong length");
      for (std::size_t rail = 0; rail < rails; ++rail)
        places[rail].push_back(
            a.substr(sizeof job + rail * sizeof(sockaddr_in), sizeof(sockaddr_in)));
    }
    std::memcpy(&job, announced[0].data(), sizeof job);
    failure_detector::membership self{
        launcher.rank(), job, {memory, node_table::detector_addresses, places}};
    watching_ = std::make_unique<watching>(self, std::move(here), known_, settings_);
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

void liveness::report_rail(int rail) noexcept {
  if (watching_ != nullptr) (*watching_)->report_rail(rail);
}

std::size_t liveness::links() const noexcept {
  return watching_ == nullptr ? 0 : (*watching_)->links();
}

void liveness::leave() noexcept {
  watching_.reset();
}

}  // namespace oriel::sessions
