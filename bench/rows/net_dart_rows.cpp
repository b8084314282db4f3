// Darts thrown at random places of both nodes until each has found an empty one, as Bale makes a
// random permutation. A throw is one compare_swap of a list; every rank throws.
#include <numeric>

#include "bench/rows/operations.hpp"
#include "bench/support/random_places.hpp"

namespace bench {
namespace {

using namespace oriel;

class dart_board {
 public:
  static constexpr assertion_set promise = assertion::shared_lock | assertion::local_load_store;

  explicit dart_board(oriel_party& all)
      : all_(all),
        window_(window<word, promise>::allocate(all.world(), random_elements,
                                                {.name = "darts", .aggregate = true})),
        epoch_(window_.lock_all()),
        before_(operations_a_list) {}

  // Time of one of this rank's darts, in nanoseconds. The pages are touched by their owner first.
  double throw_all() {
    std::ranges::fill(window_.local(), 0);
    all_.barrier();
    const auto start = std::chrono::steady_clock::now();
    for (word taken = 0; taken < darts_a_rank || !missed_.empty();) {
      darts_.swap(missed_);
      for (; darts_.size() < operations_a_list && taken < darts_a_rank; ++taken)
        darts_.push_back(taken + 1);
      throw_list();
    }
    all_.barrier();
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    check();
    return took.count() / static_cast<double>(darts_a_rank);
  }

 private:
  // Those that miss are thrown again with the next list.
  void throw_list() {
    ranks_.clear();
    disps_.clear();
    for (std::size_t k = 0; k < darts_.size(); ++k) {
      const dart_throw to(all_.rank(), static_cast<word>(all_.size()), throws_++);
      ranks_.emplace_back(to.rank);
      disps_.emplace_back(to.element);
    }
    empty_.resize(darts_.size());
    const std::span<word> before(before_.data(), darts_.size());
    window_.compare_swap(ranks_, disps_, empty_, darts_, before).or_throw();
    window_.flush_local_all().or_throw();
    missed_.clear();
    for (std::size_t k = 0; k < darts_.size(); ++k)
      if (before[k] != 0) missed_.push_back(darts_[k]);
  }
  void check() {
    const auto mine = window_.local();
    const word here = std::reduce(mine.begin(), mine.end());
    const word found = all_.world().allreduce(here, atomic_op::sum);
    if (found != darts_a_rank * (darts_a_rank + 1) / 2 * static_cast<word>(all_.size()))
      throw error(errc::count, "darts were lost");
  }

  oriel_party& all_;
  window<word, promise> window_;
  epoch epoch_;
  std::vector<word> darts_, missed_, empty_, before_;
  std::vector<rank> ranks_;
  std::vector<disp> disps_;
  word throws_ = 0;
};

}  // namespace

void net_dart_row(oriel_party& all, const arguments& a) {
  constexpr const char* name = "net_list_permutation";
  if (a.wants(name)) print_row(all, name, sizeof(word), dart_board(all).throw_all());
}

}  // namespace bench
