// Hints: string keys and values, MPI's own names where MPI defines them (MPI-4.1 §10).
#pragma once

#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace oriel {

class info {
 public:
  info() = default;
  info(std::initializer_list<std::pair<const std::string, std::string>> pairs) : map_(pairs) {}

  // Adds a key, or replaces its value.
  void set(std::string key, std::string value) { map_[std::move(key)] = std::move(value); }
  void erase(const std::string& key) { map_.erase(key); }
  // Returns the key's value; an empty optional where there is no such key.
  [[nodiscard]] std::optional<std::string> get(const std::string& key) const {
    const auto found = map_.find(key);
    return found == map_.end() ? std::nullopt : std::optional{found->second};
  }
  [[nodiscard]] bool contains(const std::string& key) const { return map_.count(key) != 0; }
  [[nodiscard]] std::size_t size() const noexcept { return map_.size(); }
  [[nodiscard]] auto begin() const noexcept { return map_.begin(); }
  [[nodiscard]] auto end() const noexcept { return map_.end(); }
  friend bool operator==(const info&, const info&) = default;

 private:
  std::map<std::string, std::string> map_;
};

}  // namespace oriel
