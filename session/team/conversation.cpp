#include "session/team/conversation.hpp"

#include <cstring>
#include <utility>

namespace oriel::sessions {

conversation::conversation(messenger& messages, std::uint64_t group, agreeing a,
                           std::function<bool()> cut_off)
    : messages_(messages),
      group_(group),
      a_(std::move(a)),
      cut_off_(std::move(cut_off)),
      reports_(static_cast<std::size_t>(a_.size()), report::none) {}

errc conversation::hear(int from, const message_tag& tag) {
  const sync::conditional_watch watch(*a_.waits, [&] { return !a_.look(from); });
  return messages_.receive(world(from), tag, heard_, watch);
}

errc conversation::run(bool ready, verdict& found, std::vector<bool>& living) {
  const std::vector<std::byte> mine{ready ? std::byte{1} : std::byte{0}};
  for (int c = 0; c < a_.me && answer_.empty(); ++c) {
    if (!a_.look(c)) continue;
    tell(c, report_to(c), mine);
    const errc e = hear(c, answer_of(c));
    if (e == errc::peer_failed) continue;
    if (e != errc::success) return e;
    if (!read(heard_)) return errc::peer_failed;
    answer_ = heard_;
    pass_on(c);
  }
  if (answer_.empty())
    if (const errc e = coordinate(ready); e != errc::success) return e;
  return use(found, living);
}

void conversation::pass_on(int coordinator) {
  int between = 0;
  for (int r = coordinator + 1; r < a_.me && between < successors; ++r) {
    if (!a_.look(r)) continue;
    tell(r, report_to(r), answer_);
    ++between;
  }
  if (between < successors) tell_all_above();
}

void conversation::tell_all_above() {
  for (int r = a_.me + 1; r < a_.size(); ++r)
    if (a_.look(r)) tell(r, answer_of(a_.me), answer_);
}

// What `from` has sent to this coordinator: an answer, or whether it is ready.
void conversation::understand(int from) {
  if (read(heard_))
    answer_ = heard_;
  else
    reports_[static_cast<std::size_t>(from)] =
        heard_ == std::vector{std::byte{1}} ? report::ready : report::unready;
}

// The reports of all above, until one is an answer.
errc conversation::collect() {
  std::vector<int> gone;
  for (int r = a_.me + 1; r < a_.size() && answer_.empty(); ++r) {
    if (reports_[static_cast<std::size_t>(r)] != report::none) continue;
    if (!a_.look(r)) {
      gone.push_back(r);
      continue;
    }
    const errc e = hear(r, report_to(a_.me));
    if (e == errc::peer_failed) continue;
    if (e != errc::success) return e;
    understand(r);
  }
  // What they sent last may be on its way: the wait for one is long enough for all. It may be an
  // answer.
  bool waited = false;
  for (const int r : gone) {
    if (!answer_.empty()) break;
    const errc e = waited ? errc::peer_failed : hear(r, report_to(a_.me));
    if (e != errc::success && e != errc::peer_failed) return e;
    if (e == errc::success || messages_.take(world(r), report_to(a_.me), heard_)) understand(r);
    waited = waited || e == errc::peer_failed;
  }
  return errc::success;
}

errc conversation::coordinate(bool ready) {
  if (const errc e = collect(); e != errc::success) return e;
  if (answer_.empty()) decide(ready);
  tell_all_above();
  return errc::success;
}

void conversation::decide(bool ready) {
  answer_text decided;
  bool all_ready = ready;
  for (int r = 0; r < a_.size(); ++r) {
    if (r == a_.me) continue;
    const report said = reports_[static_cast<std::size_t>(r)];
    // Those before have died, or this rank would not decide.
    if (r < a_.me || said == report::none || !a_.look(r))
      decided.dead.push_back(r);
    else
      all_ready = all_ready && said == report::ready;
  }
  decided.found = cut_off_() ? verdict::cut_off : !all_ready ? verdict::unready : verdict::agreed;
  answer_ = written(decided);
}

std::vector<std::byte> conversation::written(const answer_text& a) const {
  std::vector<std::int32_t> numbers{a_.size()};
  numbers.insert(numbers.end(), a.dead.begin(), a.dead.end());
  std::vector<std::byte> m(1 + numbers.size() * sizeof numbers[0]);
  m[0] = static_cast<std::byte>(a.found);
  std::memcpy(m.data() + 1, numbers.data(), m.size() - 1);
  return m;
}

std::optional<conversation::answer_text> conversation::read(const std::vector<std::byte>& m) const {
  constexpr std::size_t each = sizeof(std::int32_t);
  if (m.size() < 1 + each || m.size() % each != 1) return std::nullopt;
  if (m[0] > static_cast<std::byte>(verdict::cut_off)) return std::nullopt;
  std::vector<std::int32_t> numbers(m.size() / each);
  std::memcpy(numbers.data(), m.data() + 1, m.size() - 1);
  if (numbers[0] != a_.size()) return std::nullopt;
  for (std::size_t i = 1; i < numbers.size(); ++i)
    if (numbers[i] < 0 || numbers[i] >= a_.size()) return std::nullopt;
  return answer_text{static_cast<verdict>(m[0]), {numbers.begin() + 1, numbers.end()}};
}

errc conversation::use(verdict& found, std::vector<bool>& living) const {
  const auto known = read(answer_);
  if (!known) return errc::peer_failed;
  found = known->found;
  if (found != verdict::agreed) return errc::success;
  std::vector<bool> alive(static_cast<std::size_t>(a_.size()), true);
  for (const std::int32_t r : known->dead) alive[static_cast<std::size_t>(r)] = false;
  if (!alive[static_cast<std::size_t>(a_.me)]) return errc::peer_failed;
  living = std::move(alive);
  return errc::success;
}

}  // namespace oriel::sessions
