// oriel's rows, a family a file.
#pragma once

#include <span>

#include "bench/support/measure.hpp"
#include "oriel/oriel.hpp"

namespace bench {

class oriel_party final : public party {
 public:
  explicit oriel_party(oriel::session& job) : job_(&job), team_(job.world()) {}
  [[nodiscard]] int rank() const override { return team_.me().value; }
  [[nodiscard]] int size() const override { return team_.size(); }
  void barrier() override { team_.barrier().or_throw(); }
  double agree(double mine) override {
    team_.broadcast(mine, oriel::rank{0}).or_throw();
    return mine;
  }
  [[nodiscard]] oriel::session& job() const { return *job_; }
  [[nodiscard]] const oriel::team& world() const { return team_; }
  // The rank that rank 0 accesses.
  [[nodiscard]] oriel::rank target() const { return oriel::rank{team_.size() > 1 ? 1 : 0}; }

 private:
  oriel::session* job_;
  oriel::team team_;
};

// Rank 0 transfers all of `buffer` to or from the target's elements at `at`, with a flush after
// every `flush_after`.
template <class Window, class Word>
void transfer_row(oriel_party& all, const arguments& a, const std::string& name, bool is_put,
                  Window& w, oriel::disp at, std::span<Word> buffer, long flush_after) {
  const auto epoch = w.lock_all();
  const oriel::rank target = all.target();
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      if (is_put)
        static_cast<void>(w.put(target, at, std::span<const Word>(buffer)));
      else
        static_cast<void>(w.get(target, at, buffer));
      if (i % flush_after == 0) w.flush(target).or_throw();
      keep(buffer[0]);
    }
    w.flush(target).or_throw();
  });
  print_row(all, name, buffer.size_bytes(), ns);
}

void small_rows(oriel_party&, const arguments&);
void promise_rows(oriel_party&, const arguments&);
void epoch_rows(oriel_party&, const arguments&);
void large_rows(oriel_party&, const arguments&);
void memory_rows(oriel_party&, const arguments&);
void contended_rows(oriel_party&, const arguments&);
void construct_rows(oriel_party&, const arguments&);
void hash_rows(oriel_party&, const arguments&);
void hash_map_rows(oriel_party&, const arguments&);
void list_rows(oriel_party&, const arguments&);
void net_rows(oriel_party&, const arguments&);
void net_element_rows(oriel_party&, const arguments&);
void net_list_rows(oriel_party&, const arguments&);
void net_notify_rows(oriel_party&, const arguments&);
void net_map_rows(oriel_party&, const arguments&);
void net_dart_row(oriel_party&, const arguments&);

}  // namespace bench
