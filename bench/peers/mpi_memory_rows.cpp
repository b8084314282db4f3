// The MPI twin of bench/rows/memory_rows.cpp.
#include "bench/peers/mpi_harness.hpp"

namespace bench {
namespace {

void transfer(context& c, const std::string& name, bool is_put, MPI_Win win, MPI_Aint at,
              const page_buffer& buffer, std::size_t bytes) {
  const int t = c.target(), count = static_cast<int>(bytes);
  MPI_Win_lock_all(0, win);
  const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
    if (c.all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      if (is_put)
        MPI_Put(buffer.data(), count, MPI_BYTE, t, at, count, MPI_BYTE, win);
      else
        MPI_Get(buffer.data(), count, MPI_BYTE, t, at, count, MPI_BYTE, win);
      MPI_Win_flush(t, win);
    }
  });
  MPI_Win_unlock_all(win);
  print_row(c.all, name, bytes, ns);
}

void private_rows(context& c, const arguments& a, bool is_put) {
  const std::string created = is_put ? "created_put" : "created_get";
  const std::string attached = is_put ? "attached_put" : "attached_get";
  for (const std::size_t bytes : private_sizes) {
    const page_buffer origin(bytes), exposed(bytes);
    const auto size = static_cast<MPI_Aint>(bytes);
    MPI_Win win = MPI_WIN_NULL;
    if (a.wants(created)) {
      MPI_Win_create(exposed.data(), size, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      transfer(c, created, is_put, win, 0, origin, bytes);
      MPI_Win_free(&win);
    }
    if (a.wants(attached)) {
      MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
      MPI_Win_attach(win, exposed.data(), size);
      MPI_Aint at = 0;
      MPI_Get_address(exposed.data(), &at);
      MPI_Bcast(&at, 1, MPI_AINT, c.target(), MPI_COMM_WORLD);
      transfer(c, attached, is_put, win, at, origin, bytes);
      MPI_Win_detach(win, exposed.data());
      MPI_Win_free(&win);
    }
  }
}

void attach_row(context& c, const arguments& a) {
  if (!a.wants("attach_detach")) return;
  constexpr std::size_t each = 64;
  std::vector<char> memory((many_buffers + 1) * each);
  MPI_Win win = MPI_WIN_NULL;
  MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  for (std::size_t i = 0; i < many_buffers; ++i) MPI_Win_attach(win, &memory[i * each], each);
  char* const more = &memory[many_buffers * each];
  const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
    if (c.all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      MPI_Win_attach(win, more, each);
      MPI_Win_detach(win, more);
    }
  });
  for (std::size_t i = 0; i < many_buffers; ++i) MPI_Win_detach(win, &memory[i * each]);
  MPI_Win_free(&win);
  print_row(c.all, "attach_detach", many_buffers, ns);
}

void alloc_row(context& c, const arguments& a) {
  if (!a.wants("alloc_free")) return;
  constexpr MPI_Aint each = 64;
  std::vector<void*> blocks(many_buffers);
  for (void*& b : blocks) MPI_Alloc_mem(each, MPI_INFO_NULL, &b);
  const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
    if (c.all.rank() != 0) return;
    for (long i = 0; i < n; ++i) {
      void* block = nullptr;
      MPI_Alloc_mem(each, MPI_INFO_NULL, &block);
      keep(block);
      MPI_Free_mem(block);
    }
  });
  for (void* const b : blocks) MPI_Free_mem(b);
  print_row(c.all, "alloc_free", many_buffers, ns);
}

void touch_row(context& c, const arguments& a) {
  if (!a.wants("shared_1g")) return;
  const std::size_t mine = touched_bytes / static_cast<std::size_t>(c.all.size());
  const double ns = nanoseconds_each(c.all, c.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      void* base = nullptr;
      MPI_Win win = MPI_WIN_NULL;
      MPI_Win_allocate_shared(static_cast<MPI_Aint>(mine), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base,
                              &win);
      std::memset(base, 1, mine);
      MPI_Win_free(&win);
    }
  });
  print_row(c.all, "shared_1g", touched_bytes, ns);
}

}  // namespace

void memory_rows(context& c, const arguments& a) {
  if (c.all.size() != 2) return;
  private_rows(c, a, true);
  private_rows(c, a, false);
  attach_row(c, a);
  alloc_row(c, a);
  touch_row(c, a);
}

}  // namespace bench
