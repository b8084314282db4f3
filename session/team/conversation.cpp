#include "session/team/conversation.hpp"

#include <algorithm>

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
    if (!is_answer(heard_, a_.size())) return errc::peer_failed;
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

errc conversation::coordinate(bool ready) {
  for (int r = a_.me + 1; r < a_.size() && answer_.empty(); ++r) {
    report& known = reports_[static_cast<std::size_t>(r)];
    if (known != report::none) continue;
    const errc e = hear(r, report_to(a_.me));
    if (e == errc::peer_failed) continue;
    if (e != errc::success) return e;
    if (is_answer(heard_, a_.size()))
      answer_ = heard_;
    else
      known = heard_ == std::vector{std::byte{1}} ? report::ready : report::unready;
  }
  if (answer_.empty()) decide(ready);
  tell_all_above();
  return errc::success;
}

void conversation::decide(bool ready) {
  std::vector<std::byte> decided(1 + static_cast<std::size_t>(a_.size()));
  bool all_ready = ready;
  decided[1 + static_cast<std::size_t>(a_.me)] = std::byte{1};
  for (int r = a_.me + 1; r < a_.size(); ++r) {
    const report said = reports_[static_cast<std::size_t>(r)];
    if (said == report::none || !a_.look(r)) continue;
    decided[1 + static_cast<std::size_t>(r)] = std::byte{1};
    all_ready = all_ready && said == report::ready;
  }
  decided[0] = static_cast<std::byte>(cut_off_()   ? verdict::cut_off
                                      : !all_ready ? verdict::unready
                                                   : verdict::agreed);
  answer_ = std::move(decided);
}

errc conversation::use(verdict& found, std::vector<bool>& living) const {
  if (answer_[0] > static_cast<std::byte>(verdict::cut_off)) return errc::peer_failed;
  found = static_cast<verdict>(answer_[0]);
  if (found != verdict::agreed) return errc::success;
  if (answer_[1 + static_cast<std::size_t>(a_.me)] == std::byte{0}) return errc::peer_failed;
  living.resize(answer_.size() - 1);
  std::transform(answer_.begin() + 1, answer_.end(), living.begin(),
                 [](std::byte b) { return b != std::byte{0}; });
  return errc::success;
}

}  // namespace oriel::sessions
