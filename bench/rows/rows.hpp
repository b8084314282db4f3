// oriel's rows, a family a file.
#pragma once

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
  // Whom rank 0 accesses.
  [[nodiscard]] oriel::rank target() const { return oriel::rank{team_.size() > 1 ? 1 : 0}; }

 private:
  oriel::session* job_;
  oriel::team team_;
};

void small_rows(oriel_party&, const arguments&);
void promise_rows(oriel_party&, const arguments&);
void epoch_rows(oriel_party&, const arguments&);
void large_rows(oriel_party&, const arguments&);
void memory_rows(oriel_party&, const arguments&);
void contended_rows(oriel_party&, const arguments&);
void construct_rows(oriel_party&, const arguments&);
void hash_rows(oriel_party&, const arguments&);
void hash_map_rows(oriel_party&, const arguments&);
void net_rows(oriel_party&, const arguments&);

}  // namespace bench
