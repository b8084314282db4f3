#include "shmem/symmetric_memory.hpp"

#include <atomic>
#include <cstdio>

#include "shmem/static_memory.hpp"

namespace oriel::shmem {
namespace {

constexpr assertion_set promised = assertion::shared_lock | assertion::local_load_store |
                                   assertion::multi_element | assertion::user_datatype;

window_options options_of(const char* name) {
  window_options options;
  options.name = name;
  options.ops = atomic_op::replace | atomic_op::no_op | atomic_op::sum | atomic_op::band |
                atomic_op::bor | atomic_op::bxor;
  options.asynchronous_progress = true;
  // What a PE has put arrives by itself here, and its sources are its own on return.
  options.hints.set("oriel_adversary", "false");
  return options;
}

std::string range(const symmetric_region& of, std::size_t bytes) {
  return in_words(of.begin) + " to " + in_words(of.begin + bytes);
}

// Nothing where PEs run different programs, of which no address stands for another.
std::span<std::byte> agreed_variables(const team& world) {
  const auto mine = static_memory();
  for (const std::size_t bytes : world.allgather(mine.size()))
    if (bytes != mine.size()) return {};
  return mine;
}

std::size_t agreed_size(const team& world, std::size_t heap_bytes) {
  const auto all = world.allgather(heap_bytes);
  for (std::size_t pe = 0; pe < all.size(); ++pe)
    if (all[pe] != all.front())
      throw error(errc::arg, "the symmetric heap of PE 0 has " + std::to_string(all.front()) +
                                 " bytes and that of PE " + std::to_string(pe) + " " +
                                 std::to_string(all[pe]) +
                                 "; SHMEM_SYMMETRIC_SIZE is to be the same everywhere");
  return heap_bytes;
}

}  // namespace

std::string in_words(const void* address) {
  char text[32];
  std::snprintf(text, sizeof text, "%p", address);
  return text;
}

symmetric_region::symmetric_region(const team& world, std::span<std::byte> memory, const char* name)
    : window(any_window::create(world, memory.data(), memory.size(), datatype::of(primitive::byte),
                                promised, options_of(name))),
      begin(memory.data()),
      bytes(memory.size()) {
  window.lock_all(nocheck).or_throw();
}

std::byte* symmetric_region::mapped(rank r) const noexcept {
  return window.shared_query(r).base;
}

symmetric_memory::symmetric_memory(session& job, std::size_t heap_bytes, std::size_t hidden)
    : heap(job.world(), job.alloc_mem(agreed_size(job.world(), heap_bytes) + hidden),
           "symmetric heap"),
      statics(job.world(), agreed_variables(job.world()), "static variables"),
      heap_bytes_(heap_bytes) {
  // The window's table says where its own inlined operations go: nowhere where they are checked.
  const detail::window_view& seen = heap.window.view();
  for (int r = 0; r < job.world().size(); ++r)
    heaps_.push_back(seen.segments[r].offset == detail::unmapped
                         ? nullptr
                         : reinterpret_cast<char*>(heap.mapped(rank{r})));
}

std::string symmetric_memory::in_words() const {
  return "the symmetric heap is " + range(heap, heap_bytes_) +
         (statics.bytes == 0
              ? ", and PEs that run different programs have no symmetric variables"
              : ", the program's static variables are " + range(statics, statics.bytes));
}

any_window* symmetric_memory::complete() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  for (symmetric_region* const one : {&heap, &statics}) {
    const detail::window_hot& hot = *one->window.view().hot;
    const bool failed = hot.first_error.load(std::memory_order_relaxed) != 0;
    const bool idle = hot.pending.load(std::memory_order_acquire) == 0;
    if (failed || (!idle && !one->window.flush_all().ok())) return &one->window;
  }
  return nullptr;
}

void symmetric_memory::note_order() noexcept {
  static_cast<void>(heap.window.sync(caller));
  static_cast<void>(statics.window.sync(caller));
}

}  // namespace oriel::shmem
