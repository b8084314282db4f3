// The batched calls that rows time, on lists of random places.
#pragma once

#include "bench/rows/operations.hpp"
#include "bench/support/random_places.hpp"

namespace bench {

template <class Window>
class random_lists {
 public:
  // To rank `only`, or to any.
  random_lists(oriel_party& all, const arguments& a, Window& w, int only = -1)
      : all_(all),
        a_(a),
        window_(w),
        places_(all.rank(), static_cast<word>(all.size()), only),
        ones_(operations_a_list, 1),
        results_(random_draws) {}

  void scatter(const char* name) {
    row(name, [this](std::size_t first, std::size_t n) {
      return window_.scatter(ranks(first, n), disps(first, n), ones(n));
    });
  }
  void gather(const char* name) {
    row(name, [this](std::size_t first, std::size_t n) {
      return window_.gather(ranks(first, n), disps(first, n), results(first, n));
    });
  }
  void histogram(const char* name) {
    row(name, [this](std::size_t first, std::size_t n) {
      return window_.accumulate(oriel::atomic_op::sum, ranks(first, n), disps(first, n), ones(n));
    });
  }
  void swap(const char* name) {
    row(name, [this](std::size_t first, std::size_t n) {
      return window_.fetch_op(oriel::atomic_op::replace, ranks(first, n), disps(first, n), ones(n),
                              results(first, n));
    });
  }
  // `call(rank, disp)` on each, one by one.
  template <class Call>
  void each(const char* name, Call call) {
    row(name, [this, call](std::size_t first, std::size_t n) {
      const std::size_t last = first + n - 1;
      for (std::size_t i = first; i < last; ++i)
        call(places_.ranks[i], places_.disps[i]).or_throw();
      return call(places_.ranks[last], places_.disps[last]);
    });
  }

 private:
  template <class Call>
  void row(const char* name, Call call) {
    if (!a_.wants(name)) return;
    const double ns = nanoseconds_a_draw(
        all_, a_.seconds, [&](std::size_t first, std::size_t n) { call(first, n).or_throw(); },
        [this] { window_.flush_all().or_throw(); });
    print_row(all_, name, sizeof(word), ns);
  }
  auto ranks(std::size_t first, std::size_t n) const {
    return std::span<const oriel::rank>(places_.ranks).subspan(first, n);
  }
  auto disps(std::size_t first, std::size_t n) const {
    return std::span<const oriel::disp>(places_.disps).subspan(first, n);
  }
  auto ones(std::size_t n) const { return std::span<const word>(ones_).first(n); }
  auto results(std::size_t first, std::size_t n) {
    return std::span<word>(results_).subspan(first, n);
  }

  oriel_party& all_;
  const arguments& a_;
  Window& window_;
  random_places<oriel::rank, oriel::disp> places_;
  std::vector<word> ones_, results_;
};

}  // namespace bench
