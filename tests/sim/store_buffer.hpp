// Stores of one thread that others do not see yet: what a processor keeps in its store buffer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace oriel::sim {

class store_buffer {
 public:
  // `in_order`: not to be seen before those that are here already.
  void add(void* at, std::size_t bytes, std::uint64_t value, bool in_order) {
    stores_.push_back({static_cast<std::byte*>(at), bytes, value, in_order || fenced_});
    fenced_ = false;
  }
  // What is added from now on is not seen before what is here.
  void fence() noexcept { fenced_ = !stores_.empty(); }
  [[nodiscard]] bool fenced() const noexcept { return fenced_; }
  [[nodiscard]] bool empty() const noexcept { return stores_.empty(); }

  // Returns the value that the thread itself reads there, where it is the newest store's.
  [[nodiscard]] std::optional<std::uint64_t> read(const void* at,
                                                  std::size_t bytes) const noexcept {
    for (auto s = stores_.rbegin(); s != stores_.rend(); ++s)
      if (s->overlaps(at, bytes))
        return s->at == at && s->bytes == bytes ? std::optional(s->value) : std::nullopt;
    return std::nullopt;
  }
  [[nodiscard]] bool touches(const void* at, std::size_t bytes) const noexcept {
    for (const store& s : stores_)
      if (s.overlaps(at, bytes)) return true;
    return false;
  }
  // Others see one store more: the first, or with `draw` a later one that need not keep its place.
  void drain_one(std::uint64_t draw = 0) noexcept {
    if (stores_.empty()) return;
    std::size_t chosen = static_cast<std::size_t>(draw % stores_.size());
    while (chosen > 0 && !may_pass(chosen)) --chosen;
    perform(chosen);
  }
  void drain() noexcept {
    while (!stores_.empty()) perform(0);
    fenced_ = false;
  }

 private:
  struct store {
    std::byte* at;
    std::size_t bytes;
    std::uint64_t value;
    bool in_order;
    [[nodiscard]] bool overlaps(const void* other, std::size_t n) const noexcept {
      const auto* const o = static_cast<const std::byte*>(other);
      return at < o + n && o < at + bytes;
    }
  };
  // Nothing between the first and this one has to come before it.
  [[nodiscard]] bool may_pass(std::size_t i) const noexcept {
    for (std::size_t k = 0; k <= i; ++k)
      if ((k > 0 && stores_[k].in_order) ||
          (k < i && stores_[k].overlaps(stores_[i].at, stores_[i].bytes)))
        return false;
    return true;
  }
  void perform(std::size_t i) noexcept {
    const store s = stores_[i];
    stores_.erase(stores_.begin() + static_cast<std::ptrdiff_t>(i));
    const auto put = [&s](auto value) noexcept {
      __atomic_store_n(reinterpret_cast<decltype(value)*>(s.at), value, __ATOMIC_SEQ_CST);
    };
    switch (s.bytes) {  // no memcpy, which is a step itself
      case 1:
        return put(static_cast<std::uint8_t>(s.value));
      case 2:
        return put(static_cast<std::uint16_t>(s.value));
      case 4:
        return put(static_cast<std::uint32_t>(s.value));
      default:
        return put(s.value);
    }
  }

  std::vector<store> stores_;
  bool fenced_ = false;
};

}  // namespace oriel::sim
