// oriel's performance variables, by MPI's tool interface, as profilers read them.
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/mpi/windows/harness.hpp"

namespace oriel::mpi_test {
namespace {

// A session of MPI_T, for as long as it lives. MPI_T itself stays open: MPICH 4.0 ends a program
// that reads variables after a second MPI_T_init_thread.
class tools {
 public:
  tools() {
    static bool open = false;
    int provided = 0;
    if (!open) ok(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
    open = true;
    ok(MPI_T_pvar_session_create(&session));
  }
  ~tools() { ok(MPI_T_pvar_session_free(&session)); }
  tools(const tools&) = delete;
  tools& operator=(const tools&) = delete;
  MPI_T_pvar_session session{};
};

// A variable of a window.
class counter {
 public:
  counter(tools& t, const char* name, MPI_Win win, int var_class = MPI_T_PVAR_CLASS_COUNTER)
      : session_(t.session) {
    int index = -1, count = 0;
    ok(MPI_T_pvar_get_index(name, var_class, &index));
    ok(MPI_T_pvar_handle_alloc(session_, index, &win, &handle, &count));
    same(count, 1, "the number of values of a counter");
  }
  ~counter() { ok(MPI_T_pvar_handle_free(session_, &handle)); }
  counter(const counter&) = delete;
  counter& operator=(const counter&) = delete;
  [[nodiscard]] unsigned long long read() const {
    unsigned long long value = ~0ULL;
    ok(MPI_T_pvar_read(session_, handle, &value));
    return value;
  }
  MPI_T_pvar_handle handle{};

 private:
  MPI_T_pvar_session session_;
};

struct listed {
  std::string name;
  int var_class = 0, bind = 0;
};
// Without a name where it is none any more: of the host's, which withdraws some.
listed information(int index) {
  std::array<char, 256> name{};
  int length = name.size(), verbosity = 0, readonly = 0, continuous = 0, atomic = 0;
  int description_length = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_T_enum values{};
  listed v;
  if (MPI_T_pvar_get_info(index, name.data(), &length, &verbosity, &v.var_class, &type, &values,
                          nullptr, &description_length, &v.bind, &readonly, &continuous,
                          &atomic) != MPI_SUCCESS)
    return {};
  v.name = name.data();
  return v;
}

const test_case lists("performance.variables of oriel's and of the host's are listed", [] {
  if (!served()) return;
  tools t;
  int n = 0, ours = 0;
  ok(MPI_T_pvar_get_num(&n));
  for (int i = 0; i < n; ++i) {
    const listed v = information(i);
    if (v.name.rfind("oriel_", 0) != 0) continue;
    ++ours;
    same(v.bind, static_cast<int>(MPI_T_BIND_MPI_WIN), v.name + ": what it is bound to");
    int index = -1;
    ok(MPI_T_pvar_get_index(v.name.c_str(), v.var_class, &index));
    same(index, i, v.name + ": its index");
  }
  expect(ours >= 30, "there are variables of oriel's");
  listed none;
  int index = 0;
  expect(MPI_T_pvar_get_index("oriel_nothing", MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS,
         "a variable that there is not has no index");
});

const test_case counts("performance.variables count a window's operations", [] {
  if (!served()) return;
  tools t;
  const allocated<int> made(16), other(16);
  const counter puts(t, "oriel_put_operations", made.win), bytes(t, "oriel_put_bytes", made.win),
      of_other(t, "oriel_put_operations", other.win),
      accumulates(t, "oriel_accumulate_operations", made.win);
  MPI_Datatype strided = MPI_DATATYPE_NULL;
  ok(MPI_Type_vector(4, 1, 2, MPI_INT, &strided));
  ok(MPI_Type_commit(&strided));
  const std::array<int, 16> from{1, 2, 3, 4};
  ok(MPI_Win_lock_all(0, made.win));
  for (int i = 0; i < 3; ++i)
    ok(MPI_Put(from.data(), 1, strided, next_rank(), 0, 1, strided, made.win));
  ok(MPI_Win_flush(next_rank(), made.win));
  for (int i = 0; i < 2; ++i)
    ok(MPI_Accumulate(from.data(), 1, strided, next_rank(), 0, 1, strided, MPI_SUM, made.win));
  ok(MPI_Win_unlock_all(made.win));
  ok(MPI_Type_free(&strided));
  same(puts.read(), 3ULL, "puts");
  same(bytes.read(), 3ULL * 4 * sizeof(int), "bytes that were put");
  same(accumulates.read(), 2ULL, "accumulates");
  same(of_other.read(), 0ULL, "puts on another window");
  const counter retries(t, "oriel_retries", other.win), wakes(t, "oriel_agent_wakes", made.win);
  const counter messages(t, "oriel_messages", made.win);
  MPI_Aint reached = 0;
  int unit = 0;
  void* base = nullptr;
  ok(MPI_Win_shared_query(made.win, next_rank(), &reached, &unit, &base));
  if (reached != 0 || std::getenv("ORIEL_AGGREGATE") == nullptr)
    same(messages.read() != 0, reached == 0, "that there were messages to another node");
  same(retries.read(), 0ULL, "retries on a window that nothing was done on");
  const auto woken = wakes.read();
  expect(wakes.read() >= woken, "wakes, which become no fewer");
});

// Whether a rank counts what MPI's calls do by themselves.
bool counts_dense() {
  return std::getenv("ORIEL_COUNT") == nullptr;
}

// Those that are loads, stores and instructions in MPI's call where the memory is mapped, too.
const test_case dense("performance.variables count operations on dense elements", [] {
  if (!served()) return;
  tools t;
  const allocated<int> made(64);
  struct kind {
    const char* name;
    unsigned long long operations, bytes;
  };
  const std::array<int, 64> from{1, 2, 3};
  std::array<int, 64> to{};
  {
    const allocated<int> first(1);  // where the types are decoded, which the window's functions do
    ok(MPI_Win_lock_all(0, first.win));
    ok(MPI_Get(to.data(), 4, MPI_CHAR, next_rank(), 0, 1, MPI_INT, first.win));
    ok(MPI_Win_unlock_all(first.win));
  }
  ok(MPI_Win_lock_all(0, made.win));
  for (int i = 0; i < 3; ++i) {
    ok(MPI_Put(from.data(), 1, MPI_INT, next_rank(), 0, 1, MPI_INT, made.win));
    ok(MPI_Get(to.data(), 4, MPI_CHAR, next_rank(), 4, 1, MPI_INT, made.win));
  }
  ok(MPI_Put(from.data(), 32, MPI_INT, next_rank(), 8, 32, MPI_INT, made.win));
  ok(MPI_Put(from.data(), 0, MPI_INT, next_rank(), 8, 0, MPI_INT, made.win));
  MPI_Request begun = MPI_REQUEST_NULL;
  ok(MPI_Rput(from.data(), 1, MPI_INT, next_rank(), 3, 1, MPI_INT, made.win, &begun));
  ok(MPI_Wait(&begun, MPI_STATUS_IGNORE));
  ok(MPI_Win_flush(next_rank(), made.win));
  ok(MPI_Accumulate(from.data(), 1, MPI_INT, next_rank(), 5, 1, MPI_INT, MPI_SUM, made.win));
  for (int i = 0; i < 2; ++i)
    ok(MPI_Fetch_and_op(from.data(), to.data(), MPI_INT, next_rank(), 5, MPI_SUM, made.win));
  ok(MPI_Compare_and_swap(from.data(), from.data(), to.data(), MPI_INT, next_rank(), 6, made.win));
  ok(MPI_Win_unlock_all(made.win));
  for (const kind& k :
       {kind{"put", 5, 4 * 4 + 32 * 4}, kind{"get", 3, 3 * 4}, kind{"accumulate", 1, 4},
        kind{"fetch_op", 2, 8}, kind{"compare_swap", 1, 4}}) {
    const std::string name = std::string("oriel_") + k.name;
    const counter n(t, (name + "_operations").c_str(), made.win),
        bytes(t, (name + "_bytes").c_str(), made.win);
    same(n.read(), counts_dense() ? k.operations : 0, name + ": operations");
    same(bytes.read(), counts_dense() ? k.bytes : 0, name + ": bytes");
  }
});

const test_case threads("performance.variables count what each thread does", [] {
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (!served() || provided != MPI_THREAD_MULTIPLE || !counts_dense()) return;
  tools t;
  constexpr unsigned long long threads = 4, each = 500;
  const allocated<long> made(2 * threads);
  ok(MPI_Win_lock_all(0, made.win));
  std::vector<std::thread> all;
  for (unsigned long long thread = 0; thread < threads; ++thread)
    all.emplace_back([&made, thread] {
      const long from = 1;
      long to = 0;
      for (unsigned long long i = 0; i < each; ++i) {
        const auto mine = static_cast<MPI_Aint>(2 * thread);
        ok(MPI_Put(&from, 1, MPI_LONG, next_rank(), mine, 1, MPI_LONG, made.win));
        ok(MPI_Fetch_and_op(&from, &to, MPI_LONG, next_rank(), mine + 1, MPI_SUM, made.win));
      }
    });
  for (std::thread& one : all) one.join();
  ok(MPI_Win_unlock_all(made.win));
  same(counter(t, "oriel_put_operations", made.win).read(), threads * each, "puts");
  same(counter(t, "oriel_fetch_op_operations", made.win).read(), threads * each, "fetches");
});

const test_case handles("performance.handles are their session's, and end with their window", [] {
  if (!served()) return;
  tools t, other;
  std::array<MPI_T_pvar_handle, 2> handle{};
  int index = -1, count = 0;
  unsigned long long value = 0;
  ok(MPI_T_pvar_get_index("oriel_put_operations", MPI_T_PVAR_CLASS_COUNTER, &index));
  for (MPI_T_pvar_handle& h : handle) {
    allocated<int> made(4);
    ok(MPI_T_pvar_handle_alloc(t.session, index, &made.win, &h, &count));
    same(MPI_T_pvar_handle_free(other.session, &h), MPI_T_ERR_INVALID_HANDLE,
         "the code of another session's");
    ok(MPI_T_pvar_read(t.session, h, &value));
    same(MPI_T_pvar_read(other.session, h, &value), MPI_T_ERR_INVALID_HANDLE,
         "the code of a read in another session");
  }
  // Its window's handle may be one of the host's again.
  const allocated<int> later(4);
  for (MPI_T_pvar_handle& h : handle) {
    same(MPI_T_pvar_read(t.session, h, &value), MPI_T_ERR_INVALID_HANDLE,
         "the code of a window that was freed");
    ok(MPI_T_pvar_handle_free(t.session, &h));
  }
});

const test_case running("performance.variables run, and are only read", [] {
  if (!served()) return;
  tools t;
  const allocated<int> made(1);
  const counter waits(t, "oriel_wait_fence_time", made.win, MPI_T_PVAR_CLASS_TIMER);
  unsigned long long value = 0;
  same(MPI_T_pvar_start(t.session, waits.handle), MPI_T_ERR_PVAR_NO_STARTSTOP, "the code of start");
  same(MPI_T_pvar_stop(t.session, waits.handle), MPI_T_ERR_PVAR_NO_STARTSTOP, "the code of stop");
  same(MPI_T_pvar_reset(t.session, waits.handle), MPI_T_ERR_PVAR_NO_WRITE, "the code of reset");
  same(MPI_T_pvar_write(t.session, waits.handle, &value), MPI_T_ERR_PVAR_NO_WRITE,
       "the code of write");
  expect(waits.read() < 1000ULL * 1000 * 1000 * 1000, "a time that can be");
});

}  // namespace
}  // namespace oriel::mpi_test
