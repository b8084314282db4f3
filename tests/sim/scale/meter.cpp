#include "tests/sim/scale/meter.hpp"

#include <algorithm>
#include <chrono>

namespace oriel::sim {
namespace {

// What nobody waits for, replies and wakes, comes within this time.
constexpr std::chrono::milliseconds until_quiet{3};

}  // namespace

meter* meter::current_ = nullptr;

meter::meter(event_scheduler& run, routed_network& wires, int ranks, int stride)
    : run_(run),
      wires_(wires),
      ranks_(ranks),
      stride_(stride),
      living_(ranks / stride),
      turns_(static_cast<std::size_t>(living_)) {
  current_ = this;
  for (int r = 0; r < ranks; r += stride) here_.push_back(r);
}

void meter::all_meet(const std::function<void()>& last) {
  const std::uint64_t mine = meetings_;
  if (++arrived_ < living_) {
    while (meetings_ == mine) run_.sleep("waits for all ranks", this, std::nullopt);
    return;
  }
  run_.sleep("waits until all is quiet", nullptr, until_quiet);
  last();
  longest_ = {};
  arrived_ = 0;
  ++meetings_;
  run_.wake(this);
}

void meter::lost(int rank) {
  --living_;
  std::erase(here_, rank);
}

meter::counts meter::sent_so_far() const {
  counts all;
  for (const int r : here_) all.push_back(wires_.sent_by(r));
  return all;
}

void meter::take_down(const char* what, int times) {
  const counts now = sent_so_far();
  std::vector<std::uint64_t> messages;
  row r;
  r.what = what;
  for (std::size_t i = 0; i < now.size(); ++i) {
    messages.push_back(now[i].messages - before_[i].messages);
    r.all_messages += static_cast<double>(messages.back()) / times;
    r.most_bytes =
        std::max(r.most_bytes, static_cast<double>(now[i].bytes - before_[i].bytes) / times);
  }
  std::sort(messages.begin(), messages.end());
  r.most_messages = static_cast<double>(messages.back()) / times;
  r.median_messages = static_cast<double>(messages[(messages.size() - 1) / 2]) / times;
  r.microseconds = std::chrono::duration<double, std::micro>(longest_).count() / times;
  rows_.push_back(std::move(r));
}

std::vector<std::string> meter::gather(const std::string& mine) {
  const auto runs = static_cast<std::size_t>(run_.process() / stride_);
  const std::size_t turn = turns_[runs]++;
  gathering& g = gatherings_[turn];
  g.parts.resize(turns_.size());
  g.parts[runs] = mine;
  gathered_bytes_ += mine.size() * static_cast<std::size_t>(stride_);
  const int running = static_cast<int>(turns_.size());
  if (++g.here == running) run_.wake(&g);
  while (g.here < running) run_.sleep("waits for all parts", &g, std::nullopt);
  std::vector<std::string> all;
  all.reserve(static_cast<std::size_t>(ranks_));
  for (const std::string& part : g.parts)
    all.insert(all.end(), static_cast<std::size_t>(stride_), part);
  if (++g.left == running) gatherings_.erase(turn);
  return all;
}

}  // namespace oriel::sim
