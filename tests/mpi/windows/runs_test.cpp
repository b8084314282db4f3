// Many short runs and small layouts on other ranks between two flushes, under the hint that has
// them gather in few messages: what every MPI does, and, where the face serves, how many messages
// it took.
#include <numeric>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

constexpr int run = 4, many = 1000, each = run * many;

// A window of doubles whose operations gather, and every second double of a run.
class gathered {
 public:
  gathered() = default;
  gathered(const gathered&) = delete;
  gathered& operator=(const gathered&) = delete;
  ~gathered() {
    MPI_Type_free(&column);
    MPI_Info_free(&hints_);
  }

 private:
  static MPI_Info asking_for_it() {
    MPI_Info made = MPI_INFO_NULL;
    MPI_Info_create(&made);
    MPI_Info_set(made, "oriel_aggregate", "true");
    return made;
  }
  static MPI_Datatype every_second() {
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_vector(run / 2, 1, 2, MPI_DOUBLE, &made);
    MPI_Type_commit(&made);
    return made;
  }
  MPI_Info hints_ = asking_for_it();

 public:
  MPI_Datatype column = every_second();
  allocated<double> w{each, MPI_COMM_WORLD, hints_};
};

// As MPIX_Win_explain says: "so far 4000 in 12 messages". -1: it says nothing of them.
long messages_of(const std::string& text) {
  const auto end = text.find(" messages", text.find("so far "));
  if (end == std::string::npos) return -1;
  return std::stol(text.substr(text.find_last_of(' ', end - 1) + 1));
}

// From all of `values`, or to them, by runs. `call(run's values, displacement)`.
template <class Call>
void by_runs(std::vector<double>& values, Call call) {
  for (int i = 0; i < each; i += run) call(&values[static_cast<std::size_t>(i)], i);
}

const test_case streams("runs.four doubles a call, between two flushes", [] {
  const gathered g;
  const int to = next_rank();
  std::vector<double> sent(each), back(each, -1), before(each, -1);
  std::iota(sent.begin(), sent.end(), 1.0 + 10000 * rank_in());
  MPI_Win_lock_all(0, g.w.win);
  by_runs(sent, [&](double* at, int i) {
    ok(MPI_Put(at, run, MPI_DOUBLE, to, i, run, MPI_DOUBLE, g.w.win));
  });
  ok(MPI_Win_flush(to, g.w.win));
  by_runs(sent, [&](double* at, int i) {
    ok(MPI_Accumulate(at, run, MPI_DOUBLE, to, i, run, MPI_DOUBLE, MPI_SUM, g.w.win));
  });
  ok(MPI_Win_flush(to, g.w.win));
  by_runs(sent, [&](double* at, int i) {
    ok(MPI_Get_accumulate(at, run, MPI_DOUBLE, &before[static_cast<std::size_t>(i)], run,
                          MPI_DOUBLE, to, i, run, MPI_DOUBLE, MPI_SUM, g.w.win));
  });
  ok(MPI_Win_flush(to, g.w.win));
  by_runs(back, [&](double* at, int i) {
    ok(MPI_Get(at, run, MPI_DOUBLE, to, i, run, MPI_DOUBLE, g.w.win));
  });
  ok(MPI_Win_flush(to, g.w.win));
  for (int i = 0; i < each; ++i) {
    const auto k = static_cast<std::size_t>(i);
    same(before[k], 2 * sent[k], "what Get_accumulate has found");
    same(back[k], 3 * sent[k], "what is there at the end");
  }
  if (served() && !on_one_node() && size_of() == 2) {
    const long messages = messages_of(explanation(g.w.win));
    expect(messages > 0 && messages < many, std::to_string(4 * many) + " calls took " +
                                                std::to_string(messages) +
                                                " messages: " + explanation(g.w.win));
  }
  ok(MPI_Win_unlock_all(g.w.win));
  MPI_Barrier(MPI_COMM_WORLD);
});

const test_case columns("runs.columns of two doubles, between two fences", [] {
  const gathered g;
  const int to = next_rank();
  std::vector<double> sent(each), back(each, -1);
  std::iota(sent.begin(), sent.end(), 1.0);
  ok(MPI_Win_fence(0, g.w.win));
  by_runs(sent, [&](double* at, int i) {
    ok(MPI_Put(at, 1, g.column, to, i + 1, 1, g.column, g.w.win));
  });
  ok(MPI_Win_fence(0, g.w.win));
  by_runs(sent, [&](double* at, int i) {
    ok(MPI_Accumulate(at, 1, g.column, to, i + 1, 1, g.column, MPI_SUM, g.w.win));
  });
  ok(MPI_Win_fence(0, g.w.win));
  by_runs(back, [&](double* at, int i) {
    ok(MPI_Get(at, run / 2, MPI_DOUBLE, to, i + 1, 1, g.column, g.w.win));
  });
  ok(MPI_Win_fence(0, g.w.win));
  for (int i = 0; i < each; ++i) {
    const bool second = i % 2 == 1;
    same(g.w.at[i], second ? 2.0 * i : 0, "element " + std::to_string(i));
    const int k = i % run;
    const double got = k < run / 2 ? 2.0 * (i - k + 1 + 2 * k) : -1;
    same(back[static_cast<std::size_t>(i)], got, "what was got of " + std::to_string(i));
  }
});

}  // namespace
}  // namespace oriel::mpi_test
