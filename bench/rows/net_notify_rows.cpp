// Notified puts between nodes, that a rank waits for with wait_notify: what a message to it takes
// that somebody must serve while it waits, there and back, and as ranks exchange a step's values.
#include "bench/rows/operations.hpp"

namespace bench {
namespace {

using namespace oriel;

constexpr assertion_set promises = assertion::shared_lock | assertion::notify;

// Not measured: ranks that have not exchanged messages begin to write them, for which libfabric
// takes and clears its buffers, 17 MB.
constexpr int first_turns = 100;

// Notifications that this rank has sent and waited for, of one window.
class notifier {
 public:
  notifier(oriel_party& all, rank partner)
      : window_(window<word, promises>::allocate(all.world(), walked)), partner_(partner) {}

  void send() {
    const disp at{static_cast<word>(sent_++ % walked)};
    window_.put_notify(partner_, at, sent_, 0).or_throw();
  }
  void await() { window_.wait_notify(0, ++awaited_).or_throw(); }

 private:
  window<word, promises> window_;
  rank partner_;
  decltype(std::declval<window<word, promises>&>().lock_all()) epoch_ = window_.lock_all();
  word sent_ = 0;
  word awaited_ = 0;
};

// Each of the first half of the ranks has a partner among the second, which is on another node.
rank partner_of(const oriel_party& all) {
  return rank{(all.rank() + all.size() / 2) % all.size()};
}

}  // namespace

void net_notify_rows(oriel_party& all, const arguments& a) {
  const bool leads = all.rank() < all.size() / 2;
  const auto row = [&](const char* name, auto turn) {
    if (!a.wants(name)) return;
    notifier n(all, partner_of(all));
    for (int i = 0; i < first_turns; ++i) turn(n);
    const double ns = nanoseconds_each(all, a.seconds, [&](long turns) {
      for (long i = 0; i < turns; ++i) turn(n);
    });
    print_row(all, name, sizeof(word), ns);
  };
  row("net_notify_pingpong", [leads](notifier& n) {
    if (leads) n.send();
    n.await();
    if (!leads) n.send();
  });
  row("net_notify_step", [](notifier& n) {
    n.send();
    n.await();
  });
}

}  // namespace bench
