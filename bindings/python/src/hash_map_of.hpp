// The hash map of keys of one size behind the interface of typed_map; each size is compiled in a
// source of its own.
#pragma once

#include <array>
#include <span>
#include <variant>

#include "bindings/python/src/hash_map.hpp"
#include "oriel/detail/failure_note.hpp"

namespace oriel::python {

template <class K>
class map_of final : public typed_map {
  using V = std::uint64_t;
  using map = hash_map<K, V>;
  template <phase_kind P>
  using phase = typename map::template phase<P>;
  using inserting = phase<phase_kind::insert_only>;
  using finding = phase<phase_kind::find_only>;
  using mixed = phase<phase_kind::mixed>;

 public:
  map_of(const team& t, std::uint64_t expected, const hash_map_options& options)
      : map_(t, expected, options) {}
  ~map_of() override { static_cast<void>(end()); }

  void begin(phase_kind kind) override {
    switch (kind) {
      case phase_kind::insert_only:
        phase_.template emplace<inserting>(map_.insert_only());
        return;
      case phase_kind::find_only:
        phase_.template emplace<finding>(map_.find_only());
        return;
      case phase_kind::mixed:
        phase_.template emplace<mixed>(map_.mixed());
        return;
    }
  }
  status end() noexcept override {
    const status ended = std::visit(
        [](auto& p) -> status {
          if constexpr (requires { p.end(); })
            return p.end();
          else
            return errc::rma_sync;
        },
        phase_);
    phase_.template emplace<std::monostate>();
    return ended;
  }

  bulk_result insert(const void* keys, const void* values, bool* inserted, std::size_t n) override {
    return in_phase(
        [&](auto& p) requires requires { p.insert(K{}, V{}); } {
          return p.insert(keys_at(keys, n), values_at(values, n), flags_at(inserted, n));
        });
  }
  bulk_result assign(const void* keys, const void* values, bool* inserted, std::size_t n) override {
    return in_phase(
        [&](auto& p) requires requires { p.insert(K{}, V{}); } {
          return p.insert_or_assign(keys_at(keys, n), values_at(values, n), flags_at(inserted, n));
        });
  }
  bulk_result fetch_add(const void* keys, const void* operands, void* before,
                        std::size_t n) override {
    return in_phase(
        [&](auto& p) requires requires { p.insert(K{}, V{}); } {
          const std::span<V> old{static_cast<V*>(before), before == nullptr ? 0 : n};
          return p.fetch_add(keys_at(keys, n), values_at(operands, n), old);
        });
  }
  bulk_result find(const void* keys, void* values, bool* found, std::size_t n) override {
    return in_phase(
        [&](auto& p) requires requires { p.find(K{}); } {
          return p.find(keys_at(keys, n), std::span<V>{static_cast<V*>(values), n},
                        flags_at(found, n));
        });
  }
  bulk_result erase(const void* keys, bool* erased, std::size_t n) override {
    return in_phase(
        [&](auto& p) requires requires { p.erase(K{}); } {
          return p.erase(keys_at(keys, n), flags_at(erased, n));
        });
  }

  void clear() override { map_.clear(); }
  void rehash(std::uint64_t expected) override { map_.rehash(expected); }
  std::uint64_t size() override { return map_.size(); }
  std::size_t local(void* keys, void* values, std::size_t room) override {
    std::size_t n = 0;
    map_.for_each_local([&](const K& key, const V& value) {
      if (n < room) {
        static_cast<K*>(keys)[n] = key;
        static_cast<V*>(values)[n] = value;
      }
      ++n;
    });
    return n;
  }
  [[nodiscard]] int owner(const void* key) const noexcept override {
    return map_.owner(*static_cast<const K*>(key)).value;
  }
  [[nodiscard]] std::string failure() const override { return map_.failure(); }
  [[nodiscard]] std::string explain() const override { return map_.explain(); }

 private:
  static std::span<const K> keys_at(const void* keys, std::size_t n) noexcept {
    return {static_cast<const K*>(keys), n};
  }
  static std::span<const V> values_at(const void* values, std::size_t n) noexcept {
    return {static_cast<const V*>(values), n};
  }
  static std::span<bool> flags_at(bool* flags, std::size_t n) noexcept {
    return {flags, flags == nullptr ? 0 : n};
  }
  // Calls `f` with the open phase; rma_sync where that has no such operation, or none is open.
  template <class F>
  bulk_result in_phase(F f) {
    return std::visit(
        [&](auto& p) -> bulk_result {
          if constexpr (requires { f(p); }) {
            return f(p);
          } else {
            detail::note_failure(0, errc::rma_sync,
                                 "hash_map: the phase that is open has no such operation");
            return {0, errc::rma_sync};
          }
        },
        phase_);
  }

  map map_;
  std::variant<std::monostate, inserting, finding, mixed> phase_;
};

// A key of N bytes, compared by them.
template <std::size_t N>
using word_key = std::array<char, N>;

}  // namespace oriel::python
