// oriel-trace: what ORIEL_TRACE has noted, in the formats of trace viewers (docs/TRACING.md).
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>

#include "tools/trace/chrome.hpp"
#include "tools/trace/job_trace.hpp"
#include "tools/trace/otf2.hpp"
#include "tools/trace/picture.hpp"

namespace {

using namespace oriel::tools;

template <class Write>
void write_to(const std::string& file, Write write) {
  std::ofstream out(file);
  write(out);
  out.flush();
  if (!out) throw std::runtime_error(file + " cannot be written");
}

std::int64_t end_of(const job_trace& job) {
  std::int64_t end = 0;
  for (const rank_trace& r : job.ranks)
    for (const traced_call& c : r.calls) end = std::max(end, c.ended);
  return end;
}

void report(const job_trace& job, std::size_t arrows) {
  std::size_t calls = 0;
  std::uint64_t dropped = 0;
  for (const rank_trace& r : job.ranks) {
    calls += r.calls.size();
    dropped += r.dropped;
  }
  fmt::print("job of process {}: {} ranks, {} calls, {} arrows", job.job, job.ranks.size(), calls,
             arrows);
  if (dropped != 0)
    fmt::print("; {} calls before them were dropped (ORIEL_TRACE_EVENTS has more stay)", dropped);
  fmt::print("\n");
  if (job.several_clocks) fmt::print("the hosts' clocks are compared by their time of day\n");
}

}  // namespace

int main(int argc, char** argv) {
  std::string folder, job, json, otf2, svg;
  double from = 0, until = 0;
  CLI::App app{"Merges the traces of a job's ranks, which ORIEL_TRACE=FOLDER has them write.",
               "oriel-trace"};
  app.add_option("folder", folder, "where the ranks' traces are")->required();
  app.add_option("--job", job, "which job: the process id of its rank 0");
  app.add_option("--json", json, "write Chrome's format here, for ui.perfetto.dev");
  app.add_option("--otf2", otf2, "make an OTF2 archive here, for Vampir and others");
  app.add_option("--svg", svg, "draw a picture here");
  app.add_option("--from", from, "of --svg: microseconds since the first call");
  app.add_option("--until", until, "of --svg: likewise; without it the end");
  CLI11_PARSE(app, argc, argv);
  try {
    const job_trace read = job_trace::read(folder, job);
    if (!json.empty()) write_to(json, [&](std::ostream& out) { write_chrome(read, out); });
    if (!svg.empty()) {
      const auto nanoseconds = [](double us) { return static_cast<std::int64_t>(us * 1e3); };
      const std::int64_t end = until > from ? nanoseconds(until) : end_of(read);
      write_to(svg, [&](std::ostream& out) { draw(read, nanoseconds(from), end, out); });
    }
    if (!otf2.empty()) write_otf2(read, otf2);
    report(read, arrows_of(read).size());
    return 0;
  } catch (const std::exception& e) {
    fmt::print(stderr, "oriel-trace: {}\n", e.what());
    return 2;
  }
}
