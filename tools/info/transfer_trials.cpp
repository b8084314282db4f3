#include <rdma/fi_errno.h>

#include <thread>

#include "tools/info/trials.hpp"

namespace oriel::tools {
namespace {

using std::chrono::milliseconds;
constexpr std::uint64_t sent = 0x6f7269656c;

std::string text(int code) {
  return fi_strerror(code);
}

// Some providers connect with the first transfer: not what is tried.
int warm_up(pair& p) {
  return p.write(stage::words - 1, sent, 0);
}

}  // namespace

json arrival_trial(pair& p, how_complete how) {
  constexpr std::size_t writes = 500;  // or as many as the time allows
  if (!p.origin()) {
    p.meet(pair::progress::slow);
    return json::object();
  }
  json result;
  std::size_t completed = 0, arrived = 0;
  int code = warm_up(p);
  const auto until = std::chrono::steady_clock::now() + pair::patience;
  for (std::size_t i = 0; i < writes && code == 0; ++i) {
    if (std::chrono::steady_clock::now() > until) break;
    const std::uint64_t value = sent + i;
    if (how == how_complete::read_back) {
      // Both under way at once, as a flush has it: the read must stay behind the write.
      pair::transfer& w = p.make_transfer();
      pair::transfer& r = p.make_transfer();
      w.word = value;
      code = p.post([&] { return p.port().write(p.place(i), &w.word, 8, p.descriptor(), 0, w); });
      if (code == 0)
        code = p.post([&] { return p.port().read(p.place(i), &r.word, 8, p.descriptor(), r); });
      if (code == 0) code = p.wait(w);
      if (code == 0) code = p.wait(r);
    } else {
      code = p.write(i, value, how == how_complete::delivery ? FI_DELIVERY_COMPLETE : 0);
    }
    if (code != 0) break;
    ++completed;
    if (p.shared().window[i].load() == value) ++arrived;
  }
  p.meet();
  result["works"] = code == 0 && completed > 0 && arrived == completed;
  result["completed"] = completed;
  result["arrived"] = arrived;
  if (code != 0) result["error"] = text(code);
  return result;
}

json sleeping_target_trial(pair& p) {
  constexpr milliseconds limit{500};
  if (!p.origin()) {
    p.meet();                      // after the warm-up
    p.meet(pair::progress::none);  // this is the sleep
    p.meet();                      // what is left is dealt with
    return json::object();
  }
  json result;
  const int warm = warm_up(p);
  p.meet();
  // It is asleep only once it has left the last meeting point, where it made progress.
  while (!p.other_waits()) p.poll();
  if (warm != 0) {
    result["works"] = false;
    result["error"] = text(warm);
  } else {
    const int plain = p.write(0, sent, 0, limit);
    const auto until = std::chrono::steady_clock::now() + limit;
    while (p.shared().window[0].load() != sent && std::chrono::steady_clock::now() < until)
      p.poll();
    const bool lands = p.shared().window[0].load() == sent;
    std::uint64_t value = 0;
    const bool reads = p.read(0, value, limit) == 0;
    const bool delivers = p.write(1, sent, FI_DELIVERY_COMPLETE, limit) == 0;
    result["works"] = lands && reads && delivers;
    result["write_completes"] = plain == 0;
    result["write_arrives"] = lands;
    result["read_completes"] = reads;
    result["delivery_completes"] = delivers;
  }
  p.meet();
  p.meet();
  return result;
}

}  // namespace oriel::tools
