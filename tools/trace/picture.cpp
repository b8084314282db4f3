#include "tools/trace/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace oriel::tools {
namespace {

using win::trace::call;

constexpr double left = 70, width = 1000, right = 35, top = 34, lane = 26, gap = 12;

const char* colour_of(call c) {
  switch (c) {
    case call::put:
    case call::put_notify:
      return "#2a78c0";
    case call::get:
      return "#2f9e6e";
    case call::accumulate:
    case call::fetch_op:
    case call::compare_swap:
      return "#8a5cc2";
    case call::list:
      return "#c2873a";
    default:
      return "#b9c1c9";  // synchronization
  }
}

// 1, 2 or 5 times a power of ten, so that about eight fit.
double step_of(double range) {
  const double power = std::pow(10, std::floor(std::log10(range / 8)));
  for (const double times : {1.0, 2.0, 5.0})
    if (range / (times * power) <= 10) return times * power;
  return 10 * power;
}

class picture {
 public:
  picture(const job_trace& job, std::int64_t from, std::int64_t until, std::ostream& out)
      : job_(job), from_(from), until_(std::max(until, from + 1)), out_(out) {}

  void draw() {
    const double height = top + static_cast<double>(job_.ranks.size()) * (lane + gap) + 40;
    out_ << fmt::format(
        R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}" height="{1}" font-family="sans-serif" font-size="12">)"
        "\n"
        R"(<rect width="100%" height="100%" fill="white"/>)"
        "\n",
        left + width + right, height);
    axis(height - 40);
    std::set<call> shown;
    for (std::size_t r = 0; r < job_.ranks.size(); ++r) rank(r, shown);
    for (const arrow& a : arrows_of(job_)) draw(a);
    legend(shown, height - 12);
    out_ << "</svg>\n";
  }

 private:
  [[nodiscard]] double x(std::int64_t t) const {
    return left + width * static_cast<double>(std::clamp(t, from_, until_) - from_) /
                      static_cast<double>(until_ - from_);
  }
  static double y(std::size_t r) { return top + static_cast<double>(r) * (lane + gap); }
  [[nodiscard]] bool is_seen(const traced_call& c) const {
    return c.ended >= from_ && c.began <= until_;
  }

  void axis(double bottom) {
    const double step = step_of(static_cast<double>(until_ - from_));
    for (double t = std::ceil(static_cast<double>(from_) / step) * step;
         t <= static_cast<double>(until_); t += step) {
      const double at = x(static_cast<std::int64_t>(t));
      out_ << fmt::format(
          R"(<line x1="{0:.1f}" x2="{0:.1f}" y1="{1}" y2="{2}" stroke="#e3e6e9"/><text x="{0:.1f}" y="{3}" text-anchor="middle" fill="#555">{4:g} µs</text>)"
          "\n",
          at, top - 8, bottom, top - 14, t / 1e3);
    }
  }

  void rank(std::size_t r, std::set<call>& shown) {
    out_ << fmt::format(R"(<text x="8" y="{:.1f}">rank {}</text>)"
                        "\n",
                        y(r) + lane / 2 + 4, job_.ranks[r].rank);
    for (const traced_call& c : job_.ranks[r].calls) {
      if (!is_seen(c)) continue;
      shown.insert(c.about.what);
      const double at = x(c.began), wide = std::max(x(c.ended) - at, 0.6);
      const double high = is_stream(c.about.thread) ? lane / 2 : lane;  // the lower half
      const double upper = y(r) + lane - high;
      out_ << fmt::format(
          R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" fill="{}"><title>{}, {:.2f} µs</title></rect>)",
          at, upper, wide, high, colour_of(c.about.what), win::trace::name(c.about.what),
          static_cast<double>(c.ended - c.began) / 1e3);
      if (const auto text = win::trace::name(c.about.what);
          wide > 8 + 7.0 * static_cast<double>(text.size()))
        out_ << fmt::format(R"(<text x="{:.1f}" y="{:.1f}" fill="{}">{}</text>)", at + 4,
                            upper + high / 2 + 4,
                            win::trace::is_synchronization(c.about.what) ? "#333" : "white", text);
      out_ << "\n";
    }
  }

  void draw(const arrow& a) {
    const traced_call& put = job_.ranks[a.from_rank].calls[a.from_call];
    const traced_call& wait = job_.ranks[a.to_rank].calls[a.to_call];
    if (put.began < from_ || wait.ended > until_) return;
    const bool down = a.to_rank > a.from_rank;
    const double end = y(a.to_rank) + (down ? 0 : lane);
    out_ << fmt::format(
        R"(<path d="M{:.1f} {:.1f} L{:.1f} {:.1f}" stroke="#c0392b" fill="none"/><circle cx="{:.1f}" cy="{:.1f}" r="2.5" fill="#c0392b"/>)"
        "\n",
        x(put.began), y(a.from_rank) + (down ? lane : 0), x(wait.ended), end, x(wait.ended), end);
  }

  void legend(const std::set<call>& shown, double at) {
    double from = left;
    for (const call c : shown) {
      const auto text = win::trace::name(c);
      out_ << fmt::format(
          R"(<rect x="{:.1f}" y="{:.1f}" width="10" height="10" fill="{}"/><text x="{:.1f}" y="{:.1f}">{}</text>)"
          "\n",
          from, at - 9, colour_of(c), from + 14, at, text);
      from += 26 + 7.2 * static_cast<double>(text.size());
    }
  }

  const job_trace& job_;
  std::int64_t from_, until_;
  std::ostream& out_;
};

}  // namespace

void draw(const job_trace& job, std::int64_t from, std::int64_t until, std::ostream& out) {
  picture(job, from, until, out).draw();
}

}  // namespace oriel::tools
