// The thread: what it does each time that it wakes, what other threads want of it, how it begins
// and how it ends.
#include "session/node/failure_detector.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include "oriel/errc.hpp"
#include "session/node/overlay_shape.hpp"
#include "session/system_failure.hpp"

namespace oriel::sessions {
namespace {

// An address that refuses connections for so long is no longer that of the rank which announced it.
constexpr std::chrono::seconds refused_for{2};
// Until the other ranks have received that this one leaves.
constexpr std::chrono::milliseconds farewell_within{250};

}  // namespace

failure_detector::failure_detector(const membership& self, std::vector<listener> where,
                                   fates& known, const settings& how)
    : self_(self),
      known_(known),
      settings_(how),
      woken_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      spare_(eventfd(0, EFD_CLOEXEC)),
      roll_(known.ranks()) {
  if (!woken_.valid() || !spare_.valid()) system_failure("eventfd");
  for (listener& l : where) listening_.push_back(std::move(l.fd));
}

// --- Other threads

void failure_detector::wake() noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(!write(woken_.get(), &one, sizeof one));  // full: it is awake
}

std::string failure_detector::wait_until_linked() {
  std::unique_lock hold(mutex_);
  changed_.wait(hold, [this] { return linked_.has_value(); });
  return *linked_;
}

void failure_detector::all_are_linked() {
  const std::lock_guard hold(mutex_);
  orders_.all_linked = true;
  wake();
}

void failure_detector::report(int r, fate f) {
  const std::lock_guard hold(mutex_);
  orders_.reports.emplace_back(r, f);
  wake();
}

void failure_detector::report_rail(int rail) {
  const std::lock_guard hold(mutex_);
  orders_.failed_rails |= 1u << rail;
  wake();
}

void failure_detector::leave() {
  const std::lock_guard hold(mutex_);
  orders_.leave = true;
  wake();
}

void failure_detector::take_orders() {
  std::uint64_t ignored = 0;
  static_cast<void>(!read(woken_.get(), &ignored, sizeof ignored));
  orders now;
  {
    const std::lock_guard hold(mutex_);
    std::swap(now, orders_);
  }
  all_linked_ = all_linked_ || now.all_linked;
  leaving_ = leaving_ || now.leave;
  for (const auto& [r, f] : now.reports) note(r, f, self_.me);
  if ((known_.failed_rails() | now.failed_rails) != all_rails()) give_up_rails(now.failed_rails);
}

// --- The thread

void failure_detector::run() noexcept {
  for (bool begun = false; !leaving_;) {
    try {
      if (!begun)
        for (const int r : connected_by(self_.me, ranks())) pursue(r, false);
      begun = true;
      turn();
    } catch (const std::bad_alloc&) {
      // What could not be kept now comes again, or is found out once more.
      sync::sleep_for(std::chrono::milliseconds(10));
    }
  }
  say_farewell();
}

void failure_detector::turn() {
  now_ = clock::now();
  wake_ = now_ + std::chrono::hours(1);
  take_orders();
  if (!spare_.valid()) spare_ = socket_fd(eventfd(0, EFD_CLOEXEC));
  drop_strangers();
  note_departures();
  repair();
  pursue_all();
  call_the_roll();
  tell_whether_linked();
  wake_at(news_.release(now_));
  wake_at(roll_.answers().release(now_));
  for (peer_link& l : links_)
    if (l.open()) send(l);
  links_.remove_if([](const peer_link& l) { return !l.open(); });
  up_.store(static_cast<std::size_t>(
                std::count_if(links_.begin(), links_.end(),
                              [](const peer_link& l) { return l.at == peer_link::stage::up; })),
            std::memory_order_relaxed);
  if (!leaving_) wait();
}

void failure_detector::tell_whether_linked() {
  if (all_linked_ || linked_) return;  // only this thread writes it
  const bool late = now_ >= began_ + settings_.opening;
  for (const auto& [at, p] : pursuits_) {
    const auto [r, rail] = at;
    const bool refused = p.failure == ECONNREFUSED && now_ >= p.since + refused_for;
    const bool hopeless = p.failure == EMFILE || p.failure == ENFILE || p.failure == EACCES;
    if (!late && !refused && !hopeless) continue;
    hindrance_ = "rank " + std::to_string(r) + " is not reached at " + in_words(place_of(r, rail)) +
                 ": " + std::strerror(p.failure == 0 ? ETIMEDOUT : p.failure) +
                 " (ORIEL_INTERFACE chooses by whose address a rank is reached)";
    break;
  }
  if (known_.estranged() && hindrance_.empty())
    hindrance_ = "every interface that ORIEL_INTERFACE names has failed between some ranks";
  if (!pursuits_.empty() && hindrance_.empty())
    return wake_at(std::min(began_ + settings_.opening, now_ + refused_for));
  const std::lock_guard hold(mutex_);
  linked_ = hindrance_;
  changed_.notify_all();
}

void failure_detector::wait() {
  std::vector<pollfd> watched{{woken_.get(), POLLIN, 0}};
  const bool accepts = now_ >= accepts_again_;
  if (!accepts) wake_at(accepts_again_);
  for (const socket_fd& l : listening_)
    watched.push_back({l.get(), static_cast<short>(accepts ? POLLIN : 0), 0});
  const std::size_t first_link = watched.size();
  std::vector<peer_link*> of;
  for (peer_link& l : links_) {
    const bool sends = l.at == peer_link::stage::connecting || !l.out.empty();
    watched.push_back({l.fd.get(), static_cast<short>(POLLIN | (sends ? POLLOUT : 0)), 0});
    of.push_back(&l);
  }
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(wake_ - clock::now()).count();
  if (poll(watched.data(), watched.size(), static_cast<int>(std::max<std::int64_t>(left, 0))) <= 0)
    return;
  now_ = clock::now();
  for (std::size_t i = 0; i < of.size(); ++i)
    if (watched[i + first_link].revents != 0 && of[i]->open()) ready(*of[i]);
  for (int rail = 0; rail < rails(); ++rail)
    if ((watched[static_cast<std::size_t>(rail) + 1].revents & POLLIN) != 0) accept(rail);
}

// The peers close their side when they have received it. To close earlier would reset their
// connections where something was still on its way here.
void failure_detector::say_farewell() {
  listening_.clear();
  const auto until = clock::now() + farewell_within;
  for (peer_link& l : links_) {
    if (l.at != peer_link::stage::up) l.close();
    l.out += encode(link_news{link_news::about::leaving, 0, self_.me, self_.me});
  }
  for (;;) {
    std::vector<pollfd> watched;
    for (peer_link& l : links_) {
      if (!l.open()) continue;
      const bool had_more = !l.out.empty();
      if (l.send_out() != 0) {
        l.close();
        continue;
      }
      if (had_more && l.out.empty()) shutdown(l.fd.get(), SHUT_WR);
      char ignored[512];
      ssize_t n = 0;
      while ((n = recv(l.fd.get(), ignored, sizeof ignored, MSG_DONTWAIT)) > 0) continue;
      if (n == 0 || errno != EAGAIN) l.close();
      if (l.open())
        watched.push_back(
            {l.fd.get(), static_cast<short>(POLLIN | (l.out.empty() ? 0 : POLLOUT)), 0});
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    if (watched.empty() || left <= 0) break;
    poll(watched.data(), watched.size(), static_cast<int>(left));
  }
  links_.clear();
}

}  // namespace oriel::sessions
