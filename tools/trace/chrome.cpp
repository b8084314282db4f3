#include "tools/trace/chrome.hpp"

#include <nlohmann/json.hpp>
#include <set>

namespace oriel::tools {
namespace {

using nlohmann::json;
using win::trace::call;

// The viewer counts in microseconds.
double microseconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e3;
}

class writer {
 public:
  explicit writer(std::ostream& out) : out_(out) {
    out_ << R"({"displayTimeUnit": "ns", "traceEvents": [)";
  }
  ~writer() { out_ << "\n]}\n"; }
  writer(const writer&) = delete;
  writer& operator=(const writer&) = delete;
  void add(const json& event) {
    // A trace of another version, or that was written into, may hold names that are no UTF-8.
    out_ << (first_ ? "\n" : ",\n") << event.dump(-1, ' ', false, json::error_handler_t::replace);
    first_ = false;
  }

 private:
  std::ostream& out_;
  bool first_ = true;
};

json arguments(const rank_trace& r, const traced_call& c) {
  json a{{"window", r.window_of(c)}};
  const auto& e = c.about;
  if (e.peer != win::trace::no_peer) a["rank"] = e.peer;
  switch (e.what) {
    case call::put_notify:
      a["bytes"] = e.bytes;
      [[fallthrough]];
    case call::signal_on:
    case call::wait_more_on:
      a["counter"] = e.counter;
      a["amount"] = e.amount;
      break;
    case call::wait_notify:
    case call::wait_on:
      a["counter"] = e.counter;
      a["at_least"] = e.bytes;
      break;
    default:
      if (!win::trace::is_synchronization(e.what)) a["bytes"] = e.bytes;
  }
  if (win::trace::is_enqueueing(e.what)) a["stream"] = e.stream;
  if (e.failed != 0) a["failed"] = e.failed;
  return a;
}

json of_thread(const rank_trace& r, const traced_call& c, const char* phase, std::int64_t at) {
  return {{"pid", r.rank}, {"tid", c.about.thread}, {"ph", phase}, {"ts", microseconds(at)}};
}

void name_rank(writer& to, const rank_trace& r) {
  const std::string label = "rank " + std::to_string(r.rank);
  to.add({{"ph", "M"}, {"pid", r.rank}, {"name", "process_name"}, {"args", {{"name", label}}}});
  to.add({{"ph", "M"},
          {"pid", r.rank},
          {"name", "process_labels"},
          {"args",
           {{"labels", "node " + std::to_string(r.node) + ", " + r.host + ", process " +
                           std::to_string(r.pid)}}}});
  to.add({{"ph", "M"},
          {"pid", r.rank},
          {"name", "process_sort_index"},
          {"args", {{"sort_index", r.rank}}}});
  std::set<std::uint32_t> threads;
  for (const traced_call& c : r.calls) threads.insert(c.about.thread);
  for (const std::uint32_t t : threads)
    to.add({{"ph", "M"},
            {"pid", r.rank},
            {"tid", t},
            {"name", "thread_name"},
            {"args", {{"name", name_of_thread(t)}}}});
  if (r.dropped != 0 && !r.calls.empty()) {
    json lost = of_thread(r, r.calls.front(), "i", r.calls.front().began);
    lost["name"] = std::to_string(r.dropped) + " events before this were dropped";
    lost["s"] = "p";
    to.add(lost);
  }
}

}  // namespace

void write_chrome(const job_trace& job, std::ostream& out) {
  writer to(out);
  for (const rank_trace& r : job.ranks) {
    name_rank(to, r);
    for (const traced_call& c : r.calls) {
      json e = of_thread(r, c, "X", c.began);
      e["dur"] = microseconds(c.ended - c.began);
      e["name"] = win::trace::name(c.about.what);
      e["cat"] = win::trace::is_synchronization(c.about.what) ? "synchronization"
                 : win::trace::is_enqueueing(c.about.what)    ? "enqueueing"
                                                              : "operation";
      e["args"] = arguments(r, c);
      to.add(e);
    }
  }
  std::size_t id = 0;
  for (const arrow& a : arrows_of(job)) {
    const rank_trace &from = job.ranks[a.from_rank], &there = job.ranks[a.to_rank];
    const traced_call &put = from.calls[a.from_call], &wait = there.calls[a.to_call];
    json tail = of_thread(from, put, "s", put.began),
         head = of_thread(there, wait, "f", wait.ended);
    head["bp"] = "e";
    for (json* end : {&tail, &head}) {
      (*end)["id"] = id;
      (*end)["name"] = "notification";
      (*end)["cat"] = "notification";
      to.add(*end);
    }
    ++id;
  }
}

}  // namespace oriel::tools
