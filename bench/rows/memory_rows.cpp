// Memory that a program had before its window, which others reach through the kernel; and memory,
// attached or allocated, in great numbers or of great size.
#include "bench/rows/rows.hpp"

namespace bench {
namespace {

using namespace oriel;
using word = std::uint64_t;

constexpr auto many_words = assertion::shared_lock | assertion::multi_element;

void private_rows(oriel_party& all, const arguments& a, bool is_put) {
  const std::string created = is_put ? "created_put" : "created_get";
  const std::string attached = is_put ? "attached_put" : "attached_get";
  for (const std::size_t bytes : private_sizes) {
    const page_buffer origin(bytes), exposed(bytes);
    const std::span buffer(reinterpret_cast<word*>(origin.data()), bytes / 8);
    const std::span memory(reinterpret_cast<word*>(exposed.data()), bytes / 8);
    if (a.wants(created)) {
      auto w = window<word, many_words>::create(all.world(), memory);
      transfer_row(all, a, created, is_put, w, disp{0}, buffer, 1);
    }
    if (a.wants(attached)) {
      auto w = window<word, many_words | assertion::attach>::create(all.world());
      disp first = w.attach(memory).first;
      all.world().broadcast(first, all.target()).or_throw();
      transfer_row(all, a, attached, is_put, w, first, buffer, 1);
    }
  }
}

void attach_row(oriel_party& all, const arguments& a) {
  if (!a.wants("attach_detach")) return;
  constexpr std::size_t each = 8;
  std::vector<word> memory((many_buffers + 1) * each);
  const auto buffer = [&](std::size_t i) { return std::span(memory).subspan(i * each, each); };
  auto w = window<word, many_words | assertion::attach>::create(all.world());
  for (std::size_t i = 0; i < many_buffers; ++i) w.attach(buffer(i));
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n; ++i) w.detach(w.attach(buffer(many_buffers)).handle).or_throw();
  });
  print_row(all, "attach_detach", many_buffers, ns);
}

void alloc_row(oriel_party& all, const arguments& a) {
  if (!a.wants("alloc_free")) return;
  constexpr std::size_t each = 64;
  std::vector<std::span<std::byte>> blocks(many_buffers);
  for (auto& b : blocks) b = all.job().alloc_mem(each);
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    if (all.rank() != 0) return;
    for (long i = 0; i < n; ++i) all.job().free_mem(all.job().alloc_mem(each)).or_throw();
  });
  for (const auto b : blocks) all.job().free_mem(b).or_throw();
  print_row(all, "alloc_free", many_buffers, ns);
}

void touch_row(oriel_party& all, const arguments& a) {
  if (!a.wants("shared_1g")) return;
  using shared =
      window<word, assertion::fence | assertion::remote_load_store | assertion::local_load_store>;
  const std::size_t words = touched_bytes / 8 / static_cast<std::size_t>(all.size());
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) {
      auto w = shared::allocate(all.world(), words);
      std::memset(w.local().data(), 1, w.local().size_bytes());
    }
  });
  print_row(all, "shared_1g", touched_bytes, ns);
}

// A window more, where 10 000 are in use.
void construct_among_row(oriel_party& all, const arguments& a) {
  if (!a.wants("construct_among")) return;
  constexpr std::size_t windows = 10'000;
  using small = window<word, assertion_set(assertion::shared_lock)>;
  std::vector<small> in_use;
  for (std::size_t i = 0; i < windows; ++i) in_use.push_back(small::allocate(all.world(), walked));
  const double ns = nanoseconds_each(all, a.seconds, [&](long n) {
    for (long i = 0; i < n; ++i) keep(small::allocate(all.world(), walked));
  });
  print_row(all, "construct_among", windows, ns);
  for (small& w : in_use) w.free().or_throw();
}

}  // namespace

void memory_rows(oriel_party& all, const arguments& a) {
  private_rows(all, a, true);
  private_rows(all, a, false);
  attach_row(all, a);
  alloc_row(all, a);
  touch_row(all, a);
  construct_among_row(all, a);
}

}  // namespace bench
