// What the point-to-point calls wait for: comparisons of this PE's variables with values.
#pragma once

#include <cstddef>
#include <limits>
#include <string>

#include "shmem/waiting.hpp"

namespace oriel::shmem {

// Ends the job where `cmp` is none of SHMEM_CMP_EQ, ….
void require_comparison(const char* call, int cmp) noexcept;

// Of variables that others write: a look sees everything that their writers did before.
template <class T>
bool compares(const T* variable, int cmp, T value) noexcept {
  const T now = __atomic_load_n(variable, __ATOMIC_ACQUIRE);
  switch (cmp) {
    case SHMEM_CMP_EQ:
      return now == value;
    case SHMEM_CMP_NE:
      return now != value;
    case SHMEM_CMP_GT:
      return now > value;
    case SHMEM_CMP_GE:
      return now >= value;
    case SHMEM_CMP_LT:
      return now < value;
    default:
      return now <= value;
  }
}

// One value for all variables, or one for each.
template <class T>
struct one_value {
  T value;
  T operator[](std::size_t) const noexcept { return value; }
};

// A condition on each of `n` variables but those with a status other than 0.
template <class T, class Values>
class conditions {
 public:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  conditions(const char* call, const T* variables, std::size_t n, const int* status, int cmp,
             Values values) noexcept
      : call_(call), variables_(variables), n_(n), status_(status), cmp_(cmp), values_(values) {
    require_comparison(call, cmp);
  }

  [[nodiscard]] bool test_all() const noexcept {
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i) && !holds(i)) return noted(false);
    return noted(true);
  }
  [[nodiscard]] std::size_t test_any() const noexcept {
    const std::size_t found = find();
    noted(found != none);
    return found;
  }
  [[nodiscard]] std::size_t test_some(std::size_t* indices) const noexcept {
    const std::size_t found = list(indices);
    noted(found != 0);
    return found;
  }
  void wait_all() const noexcept {
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i)) wait_until(call_, [&] { return holds(i); });
  }
  [[nodiscard]] std::size_t wait_any() const noexcept {
    std::size_t found = none;
    if (!empty()) wait_until(call_, [&] { return (found = find()) != none; });
    return found;
  }
  [[nodiscard]] std::size_t wait_some(std::size_t* indices) const noexcept {
    std::size_t found = 0;
    if (!empty()) wait_until(call_, [&] { return (found = list(indices)) != 0; });
    return found;
  }

 private:
  [[nodiscard]] bool counts(std::size_t i) const noexcept {
    return status_ == nullptr || status_[i] == 0;
  }
  [[nodiscard]] bool holds(std::size_t i) const noexcept {
    return compares(variables_ + i, cmp_, static_cast<T>(values_[i]));
  }
  [[nodiscard]] bool empty() const noexcept {
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i)) return false;
    return true;
  }
  // Begins behind the one found last, so that calls that repeat find each in its turn.
  [[nodiscard]] std::size_t find() const noexcept {
    static thread_local std::size_t last = none;
    for (std::size_t k = 0, i = last; k < n_; ++k) {
      i = i + 1 < n_ ? i + 1 : 0;
      if (counts(i) && holds(i)) return last = i;
    }
    return none;
  }
  [[nodiscard]] std::size_t list(std::size_t* indices) const noexcept {
    std::size_t found = 0;
    for (std::size_t i = 0; i < n_; ++i)
      if (counts(i) && holds(i)) indices[found++] = i;
    return found;
  }
  bool noted(bool held) const noexcept {
    process& p = process::here(call_);
    if (held)
      p.note_answer();
    else
      after_vain_test(p, call_);
    return held;
  }

  const char* call_;
  const T* variables_;
  std::size_t n_;
  const int* status_;
  int cmp_;
  Values values_;
};

}  // namespace oriel::shmem
