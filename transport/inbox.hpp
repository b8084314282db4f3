// Messages of collectives that have arrived, until they are received, or answered where nobody
// receives them. Long ones arrive in several parts, in order. Any thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "session/team/messenger.hpp"
#include "sync/system.hpp"

namespace oriel::transport {

class inbox {
 public:
  // A part of a message of `whole` bytes. False, and it is not kept, when it does not fit the parts
  // before it.
  bool put(int from, const sessions::message_tag& tag, std::span<const std::byte> part,
           std::size_t whole) {
    const std::lock_guard hold(mutex_);
    if (tag.turn == sessions::message_tag::not_joining) {
      outside_.emplace(tag.group, from);
      any_outside_.store(true, std::memory_order_relaxed);
      return true;
    }
    const auto known = arrived_.find(key(from, tag));
    const std::size_t had = known == arrived_.end() ? 0 : known->second.bytes.size();
    if (known != arrived_.end() && known->second.whole != whole) return false;
    if (part.size() > whole - had) return false;
    arrival& l = arrived_.try_emplace(key(from, tag), arrival{whole, {}}).first->second;
    l.bytes.insert(l.bytes.end(), part.begin(), part.end());
    return true;
  }
  // False while it has not arrived in whole.
  bool take(int from, const sessions::message_tag& tag, std::vector<std::byte>& bytes) {
    const std::lock_guard hold(mutex_);
    const auto found = arrived_.find(key(from, tag));
    if (found == arrived_.end() || found->second.bytes.size() != found->second.whole) return false;
    bytes = std::move(found->second.bytes);
    arrived_.erase(found);
    return true;
  }
  struct reply {
    int to = 0;
    sessions::message_tag tag;
    std::shared_ptr<const std::vector<std::byte>> bytes;
  };
  // What is to be sent to those whose messages have arrived; the others' are replies_to() later.
  std::vector<reply> answer(sessions::standing_answer given) {
    const auto made = std::make_shared<standing>(std::move(given));
    const std::lock_guard hold(mutex_);
    standing_[{made->group, made->asked}] = made;
    answers_any_.store(true, std::memory_order_relaxed);
    std::vector<key_type> asked;
    for (const auto& [from, message] : arrived_)
      if (std::get<1>(from) == made->group && std::get<2>(from) == made->asked)
        asked.push_back(from);
    std::vector<reply> all;
    for (const key_type& k : asked) add_reply(k, all);
    return all;
  }
  [[nodiscard]] bool answers_any() const noexcept {
    return answers_any_.load(std::memory_order_relaxed);
  }
  // To a message that has arrived: one, if there is an answer and the message is whole.
  std::vector<reply> replies_to(int from, const sessions::message_tag& tag) {
    const std::lock_guard hold(mutex_);
    std::vector<reply> one;
    add_reply(key(from, tag), one);
    return one;
  }
  // Whether the rank, and whether any, has announced that it will never take part in `group`.
  [[nodiscard]] bool stays_out(std::uint64_t group, int rank) const {
    if (!any_outside_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard hold(mutex_);
    return outside_.count({group, rank}) != 0;
  }
  [[nodiscard]] bool any_stays_out(std::uint64_t group) const {
    if (!any_outside_.load(std::memory_order_relaxed)) return false;
    const std::lock_guard hold(mutex_);
    const auto first = outside_.lower_bound({group, 0});
    return first != outside_.end() && first->first == group;
  }

 private:
  struct arrival {
    std::size_t whole = 0;
    std::vector<std::byte> bytes;
  };
  using standing = sessions::standing_answer;
  using key_type = std::tuple<int, std::uint64_t, std::uint32_t, std::uint32_t>;
  static key_type key(int from, const sessions::message_tag& t) noexcept {
    return {from, t.group, t.turn, t.round};
  }

  // Once: it takes the message.
  void add_reply(const key_type& k, std::vector<reply>& all) {
    const auto& [from, group, turn, round] = k;
    const auto found = standing_.find({group, turn});
    const auto message = arrived_.find(k);
    if (found == standing_.end() || message == arrived_.end()) return;
    if (message->second.bytes.size() != message->second.whole) return;
    const standing& s = *found->second;
    if (std::find(s.but.begin(), s.but.end(), from) == s.but.end())
      all.push_back({from, {group, s.told, round}, {found->second, &s.bytes}});
    arrived_.erase(message);
  }

  mutable sync::mutex mutex_;
  std::map<key_type, arrival> arrived_;
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::shared_ptr<const standing>> standing_;
  std::atomic<bool> answers_any_{false};
  std::set<std::pair<std::uint64_t, int>> outside_;  // groups, ranks; few: only deaths make them
  std::atomic<bool> any_outside_{false};
};

}  // namespace oriel::transport
