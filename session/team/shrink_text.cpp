#include "session/team/shrink_text.hpp"

#include <algorithm>
#include <cstring>

namespace oriel::sessions {
namespace {

constexpr std::size_t before_numbers = 2;
constexpr std::size_t each = sizeof(std::int32_t);

}  // namespace

std::vector<std::byte> shrink_text::written(int of_team) const {
  std::vector<std::int32_t> numbers{of_team};
  numbers.insert(numbers.end(), ranks.begin(), ranks.end());
  std::vector<std::byte> m(before_numbers + numbers.size() * each);
  m[0] = static_cast<std::byte>(what);
  m[1] = static_cast<std::byte>(found);
  std::memcpy(m.data() + before_numbers, numbers.data(), numbers.size() * each);
  return m;
}

std::optional<shrink_text> shrink_text::read(std::span<const std::byte> m, int of_team) {
  if (m.size() < before_numbers + each || (m.size() - before_numbers) % each != 0)
    return std::nullopt;
  if (m[0] > static_cast<std::byte>(kind::last) || m[1] > static_cast<std::byte>(verdict::last))
    return std::nullopt;
  std::vector<std::int32_t> numbers((m.size() - before_numbers) / each);
  std::memcpy(numbers.data(), m.data() + before_numbers, m.size() - before_numbers);
  const bool are_ranks = std::all_of(numbers.begin() + 1, numbers.end(),
                                     [=](std::int32_t r) { return r >= 0 && r < of_team; });
  if (numbers[0] != of_team || !are_ranks) return std::nullopt;
  return shrink_text{
      static_cast<kind>(m[0]), static_cast<verdict>(m[1]), {numbers.begin() + 1, numbers.end()}};
}

shrink_text shrink_text::of(const shrink_answer& a) {
  shrink_text t{kind::answer, a.found, {}};
  for (std::size_t r = 0; a.found == verdict::agreed && r < a.living.size(); ++r)
    if (!a.living[r]) t.ranks.push_back(static_cast<std::int32_t>(r));
  return t;
}

shrink_answer shrink_text::answer(int of_team) const {
  shrink_answer a{found, std::vector<bool>(static_cast<std::size_t>(of_team), true)};
  for (const std::int32_t r : ranks) a.living[static_cast<std::size_t>(r)] = false;
  return a;
}

}  // namespace oriel::sessions
