#include "session/bootstrap/gathering.hpp"

#include <algorithm>
#include <utility>

#include "session/bootstrap/peer_failure.hpp"

namespace oriel::sessions {
namespace {

constexpr std::chrono::milliseconds longest_allowance{1000};

}  // namespace

std::chrono::milliseconds allowance_of(const job_description& job,
                                       const tree_place& place) noexcept {
  return std::min(longest_allowance, job.timeout / (2 * place.levels));
}

gathering::gathering(const job_description& job, tree_place place, connection parent,
                     std::vector<connection> children)
    : job_(job),
      place_(std::move(place)),
      parent_(std::move(parent)),
      children_(std::move(children)) {}

std::vector<std::string> gathering::allgather(const std::string& mine) {
  parts all(static_cast<std::size_t>(job_.size));
  all[static_cast<std::size_t>(place_.rank)] = mine;
  const deadline until = after(place_.levels + place_.depth);
  collect(all, after(place_.height - 1));
  if (parent_.valid())
    pass_down(exchange_with_parent(all, until), until);
  else
    pass_down(encode(answer{answer_kind::gathered, encode_list(all)}), until);
  return all;
}

deadline gathering::after(int levels) const {
  return clock::now() + job_.timeout + levels * allowance_of(job_, place_);
}

void gathering::collect(parts& all, deadline until) {
  std::vector<pollfd> watched;
  for (const connection& c : children_) watched.push_back({c.fd(), POLLIN, 0});
  if (parent_.valid()) watched.push_back({parent_.fd(), POLLIN, 0});
  patience until_late(until);
  for (std::size_t missing = children_.size(); missing > 0;) {
    if (!until_late.wait(watched)) {
      const auto first =
          std::find_if(watched.begin(), watched.end(), [](const pollfd& p) { return p.fd >= 0; });
      const auto child = static_cast<std::size_t>(first - watched.begin());
      fail(failure_of(io_result::late, place_.children[child].rank, job_));
    }
    std::string bytes;
    // A parent that speaks before it has heard has failed, or passes a failure on.
    if (watched.size() > children_.size() && watched.back().revents != 0) {
      const io_result r = parent_.read(bytes);
      if (r == io_result::done) fail(failure_in(bytes, place_.parent, job_));
      if (r != io_result::late) fail(failure_of(r, place_.parent, job_));
    }
    for (std::size_t c = 0; c < children_.size(); ++c) {
      if (watched[c].fd < 0 || watched[c].revents == 0) continue;
      const io_result r = children_[c].read(bytes);
      if (r == io_result::late) continue;
      if (r != io_result::done) fail(failure_of(r, place_.children[c].rank, job_));
      if (!take(c, bytes, all)) continue;
      watched[c].fd = -1;
      --missing;
    }
  }
}

bool gathering::take(std::size_t child, const std::string& bytes, parts& all) {
  const tree_place::branch& from = place_.children[child];
  const auto heard = decode_answer(bytes);
  // Said before rank 0 chose the star (linking.hpp).
  if (heard && (heard->kind == answer_kind::linked || heard->kind == answer_kind::unlinked))
    return false;
  auto theirs =
      heard && heard->kind == answer_kind::gathered ? decode_list(heard->bytes) : std::nullopt;
  if (!theirs || theirs->size() != static_cast<std::size_t>(from.end - from.rank))
    fail(failure_in(bytes, from.rank, job_));
  std::move(theirs->begin(), theirs->end(), all.begin() + from.rank);
  return true;
}

std::string gathering::exchange_with_parent(parts& all, deadline until) {
  const parts below(all.begin() + place_.rank, all.begin() + place_.end);
  const io_result sent =
      parent_.send(encode(answer{answer_kind::gathered, encode_list(below)}), until);
  // One that has given up has left the reason behind, even where it takes nothing any more.
  std::string bytes;
  const io_result read = parent_.receive(bytes, until);
  if (read != io_result::done)
    fail(failure_of(sent == io_result::done ? read : sent, place_.parent, job_));
  const auto heard = decode_answer(bytes);
  auto whole =
      heard && heard->kind == answer_kind::gathered ? decode_list(heard->bytes) : std::nullopt;
  if (!whole || whole->size() != all.size()) fail(failure_in(bytes, place_.parent, job_));
  all = std::move(*whole);
  return bytes;
}

// The others hear all the same of a child that takes nothing: they meet the failure when they
// gather the next time.
void gathering::pass_down(const std::string& whole, deadline until) {
  std::vector<connection*> to = connection::each_of(children_);
  std::reverse(to.begin(), to.end());  // the largest branch first
  const auto results = connection::send_on_each(to, whole, until);
  for (std::size_t i = 0; i < to.size(); ++i)
    if (results[i] != io_result::done)
      fail(failure_of(results[i], place_.children[to.size() - 1 - i].rank, job_));
}

void gathering::fail(const answer& why) {
  std::vector<connection*> others = connection::each_of(children_);
  if (parent_.valid()) others.push_back(&parent_);
  connection::send_on_each(others, encode(why), clock::now() + last_words);
  give_up(why);
}

traffic gathering::counted() const noexcept {
  traffic sum = parent_.counted();
  for (const connection& c : children_) sum = sum + c.counted();
  return sum;
}

}  // namespace oriel::sessions
