#include "win/serve/scattered_elements.hpp"

#include <cstring>

#include "oriel/detail/cpu_atomic.hpp"
#include "win/serve/mapped_atomics.hpp"

namespace oriel::win {

using detail::list_call;

namespace {

template <class Word>
void put_words(const scattered_block& b) noexcept {
  for (std::size_t j = 0; j < b.n; ++j) {
    Word word;
    std::memcpy(&word, b.operands + j * b.stride, sizeof word);
    detail::cpu_store(reinterpret_cast<Word*>(b.targets[j]), word);
  }
}

template <class Word>
void get_words(const scattered_block& b) noexcept {
  for (std::size_t j = 0; j < b.n; ++j) {
    const Word word = detail::cpu_load(reinterpret_cast<const Word*>(b.targets[j]));
    std::memcpy(b.results + j * sizeof word, &word, sizeof word);
  }
}

// At whole multiples of their length, which is a power of two.
bool are_aligned(const scattered_block& b, std::size_t bytes) noexcept {
  std::uintptr_t all = bytes;
  for (std::size_t j = 0; j < b.n; ++j) all |= reinterpret_cast<std::uintptr_t>(b.targets[j]);
  return (all & (bytes - 1)) == 0;
}

template <class Word>
void move_words(list_call call, const scattered_block& b) noexcept {
  call == list_call::put ? put_words<Word>(b) : get_words<Word>(b);
}

}  // namespace

scattered_call::scattered_call(detail::window_core& core, list_call call, atomic_op op,
                               primitive type) noexcept
    : core_(core),
      call_(call),
      bytes_(element_bytes(type, core.agreed.extent)),
      aligned_(type == primitive::opaque && core.agreed.element != primitive::opaque) {
  const primitive element = type == primitive::opaque ? core.agreed.element : type;
  switch (call) {
    case list_call::put:
    case list_call::get:
      return;
    case list_call::accumulate:
    case list_call::accumulate_again:
    case list_call::fetch_op:
      kernel_ = core.agreed.ops.has(op)
                    ? atomics::accumulate_kernel(op, element, atomics::kernel_mode::atomic)
                    : nullptr;
      if (kernel_ == nullptr)
        refusal_ = errc::op;
      else if (!core.operations.gates && aligned_)
        atomic_ = atomics::scattered_kernel(op, element);
      return;
    case list_call::compare_swap:
      swap_ = atomics::compare_swap_kernel(bytes_);
      if (swap_ == nullptr) refusal_ = errc::type;
      return;
    case list_call::by_owner:
      refusal_ = errc::op;
      return;
  }
}

scattered_call scattered_call::of(detail::window_core& core, const packet_word& word) noexcept {
  if (packet_run::is_of(word.call)) {
    scattered_call made(core, word.call, atomic_op::replace);
    const std::uint64_t n = packet_run{word.kind, word.type}.elements();
    made.bytes_ *= n;
    made.aligned_ = made.aligned_ && n == 1;
    return made;
  }
  const auto op = word.op();
  scattered_call made(core, word.call, op.value_or(atomic_op::no_op), word.type);
  made.kind_ = word.kind;
  if (word.call == list_call::by_owner)
    made.refusal_ = core.operations.calls.sizes[word.kind].result == 0 ? errc::arg : errc::success;
  else if (!op)
    made.refusal_ = errc::arg;
  return made;
}

errc scattered_call::perform(const scattered_block& b) const noexcept {
  if (call_ == list_call::by_owner) {
    const detail::owner_calls& calls = core_.operations.calls;
    calls.perform(calls.self, {kind_, b.owners, b.operands, b.stride, b.results, b.n});
    return errc::success;
  }
  if (call_ == list_call::put || call_ == list_call::get) return move(b);
  if (atomic_ == nullptr) return one_by_one(b);
  atomic_(b.targets, b.operands, b.stride, b.results, b.n);
  return errc::success;
}

errc scattered_call::move(const scattered_block& b) const noexcept {
  switch (aligned_ || are_aligned(b, bytes_) ? bytes_ : 0) {
    case 1:
      move_words<std::uint8_t>(call_, b);
      break;
    case 2:
      move_words<std::uint16_t>(call_, b);
      break;
    case 4:
      move_words<std::uint32_t>(call_, b);
      break;
    case 8:
      move_words<std::uint64_t>(call_, b);
      break;
    default:
      for (std::size_t j = 0; j < b.n; ++j)
        if (call_ == list_call::put)
          std::memcpy(b.targets[j], b.operands + j * b.stride, bytes_);
        else
          std::memcpy(b.results + j * bytes_, b.targets[j], bytes_);
  }
  return errc::success;
}

errc scattered_call::one_by_one(const scattered_block& b) const noexcept {
  for (std::size_t j = 0; j < b.n; ++j) {
    std::byte* const there = b.targets[j];
    const std::byte* const operand = b.operands == nullptr ? nullptr : b.operands + j * b.stride;
    std::byte* const result = b.results == nullptr ? nullptr : b.results + j * bytes_;
    const errc e = pass_gate(core_, b.owners == nullptr ? b.owner : b.owners[j], [&]() noexcept {
      if (swap_ == nullptr)
        return kernel_(there, operand, result, 1, stripes_of(core_), key_of(core_, there));
      return swap_(there, operand, b.desired + j * b.stride, result, stripes_of(core_),
                   key_of(core_, there));
    });
    if (e != errc::success) return e;
  }
  return errc::success;
}

}  // namespace oriel::win
