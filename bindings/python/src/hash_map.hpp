// A hash map whose types are known at run time: what Python's HashMap calls.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "oriel/hash_map.hpp"

namespace oriel::python {

// Keys and values lie one behind the other, as arrays of numpy's have them. Flags may be null.
class typed_map {
 public:
  virtual ~typed_map() = default;
  virtual void begin(phase_kind) = 0;
  virtual status end() noexcept = 0;
  virtual bulk_result insert(const void* keys, const void* values, bool* inserted,
                             std::size_t n) = 0;
  virtual bulk_result assign(const void* keys, const void* values, bool* inserted,
                             std::size_t n) = 0;
  virtual bulk_result fetch_add(const void* keys, const void* operands, void* before,
                                std::size_t n) = 0;
  virtual bulk_result find(const void* keys, void* values, bool* found, std::size_t n) = 0;
  virtual bulk_result erase(const void* keys, bool* erased, std::size_t n) = 0;
  virtual void clear() = 0;
  virtual void rehash(std::uint64_t expected) = 0;
  virtual std::uint64_t size() = 0;
  // Copies the elements of this rank; returns how many there are, of which `room` are copied.
  virtual std::size_t local(void* keys, void* values, std::size_t room) = 0;
  [[nodiscard]] virtual int owner(const void* key) const noexcept = 0;
  [[nodiscard]] virtual std::string failure() const = 0;
  [[nodiscard]] virtual std::string explain() const = 0;
};

// Values have 8 bytes; keys of words have `bytes` of them, one of the sizes that make_words takes.
using map_maker = std::unique_ptr<typed_map> (*)(const team&, std::uint64_t expected,
                                                 const hash_map_options&);
std::unique_ptr<typed_map> make_map_8(const team&, std::uint64_t, const hash_map_options&);
std::unique_ptr<typed_map> make_map_16(const team&, std::uint64_t, const hash_map_options&);
std::unique_ptr<typed_map> make_map_32(const team&, std::uint64_t, const hash_map_options&);

}  // namespace oriel::python
