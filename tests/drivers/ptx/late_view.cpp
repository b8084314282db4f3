#include "tests/drivers/ptx/late_view.hpp"

#include <cstring>

#include "tests/drivers/ptx/own_view.hpp"

namespace oriel::test_driver::ptx {
namespace {

word_number word_of(const std::byte* at) {
  return reinterpret_cast<word_number>(at) & ~word_number{7};
}

std::uint64_t part_of(std::uint64_t word, const std::byte* at, std::size_t bytes) {
  std::uint64_t part = 0;
  std::memcpy(&part,
              reinterpret_cast<const std::byte*>(&word) +
                  (at - reinterpret_cast<const std::byte*>(word_of(at))),
              bytes);
  return part;
}

}  // namespace

void late_view::have_read(word_number word, const change& one) {
  last_read_ = one.brings;
  seen_.see(word, one.when);
  if (one.brings) read_.join(*one.brings);
}

std::uint64_t late_view::load(const std::byte* at, std::size_t bytes, schedule& turns) {
  const word_number word = word_of(at);
  const change& one = all_->readable(word, seen_.of(word), turns);
  have_read(word, one);
  return part_of(one.value, at, bytes);
}

std::uint64_t late_view::load_newest(const std::byte* at, std::size_t bytes) {
  const change& one = all_->newest(word_of(at));
  have_read(word_of(at), one);
  return part_of(one.value, at, bytes);
}

void late_view::store(std::byte* at, std::size_t bytes, std::uint64_t value, brought brings) {
  const word_number word = word_of(at);
  static_cast<void>(all_->newest(word));
  store_word(at, bytes, value);
  seen_.see(word, all_->changed(word, std::move(brings)));
}

void late_view::before_update(const std::byte* at) {
  static_cast<void>(all_->newest(word_of(at)));
}

void late_view::updated(const std::byte* at, bool changed, bool releases) {
  const word_number word = word_of(at);
  have_read(word, all_->last(word));
  if (!changed) return;
  brought brings = releases ? now() : at_fence_;
  if (last_read_ && brings) {
    auto both = std::make_shared<sight>(*brings);
    both->join(*last_read_);
    brings = std::move(both);
  } else if (last_read_) {
    brings = last_read_;
  }
  seen_.see(word, all_->changed(word, std::move(brings)));
}

void late_view::acquire() {
  if (last_read_) seen_.join(*last_read_);
}

void late_view::fence(bool orders_all_fences) {
  seen_.join(read_);
  read_ = sight();
  if (orders_all_fences) {
    seen_.join(all_->fences);
    all_->fences.join(seen_);
  }
  at_fence_ = now();
}

}  // namespace oriel::test_driver::ptx
