#include "mpi/order.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <numeric>
#include <vector>

#include "mpi/threads/thread_order.hpp"

namespace oriel::mpi {

std::atomic<sessions::vector_clock*> order_of_messages{nullptr};
std::atomic<win::watched_memory*> memory_of_windows{nullptr};
std::atomic<sessions::last_told*> told_by_messages{nullptr};

namespace {

sessions::vector_clock& order() noexcept {
  return *order_of_messages.load(std::memory_order_relaxed);
}

// Another thread may have this one's stack next.
void forget_stack() noexcept {
  auto* const watched = memory_of_windows.load(std::memory_order_relaxed);
  pthread_attr_t about;
  if (watched == nullptr || !watched->has_released() ||
      pthread_getattr_np(pthread_self(), &about) != 0)
    return;
  void* first = nullptr;
  std::size_t bytes = 0;
  pthread_attr_getstack(&about, &first, &bytes);
  pthread_attr_destroy(&about);
  const auto low = reinterpret_cast<std::uintptr_t>(first);
  watched->freed(low, low + bytes);
}

constexpr thread_order told{
    .begin = []() noexcept { order().begin_thread(); },
    .end =
        []() noexcept {
          forget_stack();
          order().end_thread();
        },
    .release = [](const void* key) noexcept { order().release(key); },
    .acquire = [](const void* key) noexcept { order().acquire(key); },
    .learn_everything = []() noexcept { order().learn_everything(); },
    .take_together = []() noexcept { order().take_threads_together(); },
    .access = accessed,
};

order_threads_function hearing_library() noexcept {
  return reinterpret_cast<order_threads_function>(dlsym(RTLD_DEFAULT, "oriel_order_threads"));
}

// The ranks in the job of `of`, processes that the communicator reaches: of the other group, where
// there are two. MPI_UNDEFINED: of another job. Throws std::bad_alloc.
std::vector<int> ranks_in_job(MPI_Comm comm, const std::vector<int>& of) {
  MPI_Group reached = MPI_GROUP_NULL, job = MPI_GROUP_NULL;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  is_inter != 0 ? PMPI_Comm_remote_group(comm, &reached) : PMPI_Comm_group(comm, &reached);
  PMPI_Comm_group(MPI_COMM_WORLD, &job);
  std::vector<int> ranks(of.size(), MPI_UNDEFINED);
  PMPI_Group_translate_ranks(reached, static_cast<int>(of.size()), of.data(), job, ranks.data());
  PMPI_Group_free(&reached);
  PMPI_Group_free(&job);
  return ranks;
}

int learn_from(int code, MPI_Comm comm, const std::vector<int>& processes) {
  sessions::last_told& told = *told_by_messages.load(std::memory_order_relaxed);
  for (const int r : ranks_in_job(comm, processes)) {
    if (r == MPI_UNDEFINED) return heard(code);
    told.learn_from(order(), r);
  }
  return code;
}

}  // namespace

int heard_from(int code, int source, MPI_Comm comm) noexcept {
  if (told_by_messages.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return code;
  if (source == MPI_PROC_NULL) return code;
  if (code != MPI_SUCCESS || source < 0 || comm == MPI_COMM_NULL) return heard(code);
  try {
    return learn_from(code, comm, {source});
  } catch (const std::bad_alloc&) {
    return heard(code);
  }
}

MPI_Count bytes_without_gaps(MPI_Datatype type) noexcept {
  MPI_Aint low = 0, extent = 0;
  MPI_Count size = 0;
  const bool whole = PMPI_Type_get_extent(type, &low, &extent) == MPI_SUCCESS &&
                     PMPI_Type_size_x(type, &size) == MPI_SUCCESS && low == 0 && extent == size;
  return whole ? size : 0;
}

void read_by_send(const void* from, MPI_Count n, MPI_Datatype type, const void* code) noexcept {
  if (n <= 0 || type == MPI_DATATYPE_NULL) return;
  if (const MPI_Count bytes = n * bytes_without_gaps(type); bytes > 0)
    accessed(from, static_cast<std::size_t>(bytes), false, code);
}

void heard_of(int r) noexcept {
  told_by_messages.load(std::memory_order_relaxed)->learn_from(order(), r);
}

int rank_in_job(int process, MPI_Comm comm) noexcept {
  try {
    return ranks_in_job(comm, {process}).front();
  } catch (const std::bad_alloc&) {
    return MPI_UNDEFINED;
  }
}

int heard_in(int code, MPI_Comm comm) noexcept {
  if (told_by_messages.load(std::memory_order_relaxed) == nullptr) [[likely]]
    return code;
  int is_inter = 0, n = 0;
  if (code != MPI_SUCCESS) return heard(code);
  PMPI_Comm_test_inter(comm, &is_inter);
  if (is_inter != 0) return heard(code);
  PMPI_Comm_size(comm, &n);
  try {
    std::vector<int> all(static_cast<std::size_t>(n));
    std::iota(all.begin(), all.end(), 0);
    return learn_from(code, comm, all);
  } catch (const std::bad_alloc&) {
    return heard(code);
  }
}

void order_threads() {
  const auto order_by = hearing_library();
  if (order_by == nullptr) return;
  order().tell_threads_apart();
  if (!order_by(&told)) order().take_threads_together();
}

void order_threads_no_more() noexcept {
  if (const auto order_by = hearing_library()) order_by(nullptr);
}

}  // namespace oriel::mpi
