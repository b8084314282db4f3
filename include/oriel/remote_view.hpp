// w[r]: the memory of one rank of a window as a range of elements, for code that reads as it would
// on an array.
//
//   const auto theirs = w[next];
//   theirs[3] = 42;                                      // a put
//   const std::uint64_t seen = theirs[3];                // a get
//   for (const std::uint64_t x : theirs) sum += x;       // a get each
//   theirs.read(disp{0}, mine).or_throw();               // many elements as one operation
//
// Where the element is mapped, a read is a load and a write is a store, the same instructions as
// those of window::get and window::put. Elsewhere a read is a flush of the rank, which does nothing
// where nothing is under way to it, and a get, so that it finds what this process has written
// there; and a write is a put. A range-for and an algorithm read and write each element by itself:
// between nodes `read`, `write` and lists (oriel/list_operations.hpp) are faster.
//
// Complete at. A read: on return. A write: source reusable on return, complete at the target after
// the next flush, and after the end of the epoch. What is read and written again (+=, swap, sort)
// is two operations, not an atomic one: window::fetch_op is.
//
// Requires: as put and get (oriel/window.hpp): an epoch, and no other access that overlaps. The
// window outlives its views, references and iterators, and is not moved to another.
//
// Failures. What can return a status does. Conversions return T{} after a failure and assignments
// write nothing; the window latches it, and the next flush or end of an epoch returns it. What
// ORIEL_CHECK=1 reports names the line of the brackets of w[r][i], or of begin() and end().
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <type_traits>

#include "oriel/call_site.hpp"
#include "oriel/nonblocking_operations.hpp"
#include "oriel/rank.hpp"

namespace oriel {

template <class T, assertion_set A>
class window;

// What stands in the brackets of w[r][i], and where: an operator takes no default argument.
struct placed_disp {
  disp at;
  call_site where;
  placed_disp(disp i, call_site here = call_site::here()) noexcept  // NOLINT: for w[r][i]
      : at(i), where(here) {}
  template <std::convertible_to<std::uint64_t> I>
  placed_disp(const I& i, call_site here = call_site::here()) noexcept  // NOLINT: likewise
      : at(static_cast<std::uint64_t>(i)), where(here) {}
};

// Stands for one element: what w[r][i] is. Copying one copies no element; assigning to one does.
template <class T, assertion_set A>
class remote_reference {
 public:
  remote_reference(window<T, A>& of, rank r, disp i, call_site where) noexcept
      : of_(&of), rank_(r), at_(i), where_(where) {}
  remote_reference(const remote_reference&) noexcept = default;

  // Return the operation's code, or that of the flush before it; `value` is written only on
  // success.
  status load(T& value, call_site where = call_site::here()) const noexcept {
    if (const T* const there = of_->data(rank_, at_)) [[likely]] {
      value = detail::cpu_load(there);
      return {};
    }
    if (const status arrived = of_->arrive(rank_, where); !arrived.ok()) return arrived;
    return of_->get(rank_, at_, value, where);
  }
  status store(const T& value, call_site where = call_site::here()) const noexcept {
    return of_->put(rank_, at_, value, where);
  }

  operator T() const noexcept {  // NOLINT: it stands for a T
    T value{};
    static_cast<void>(load(value, where_));
    return value;
  }
  const remote_reference& operator=(const T& value) const noexcept {
    static_cast<void>(store(value, where_));
    return *this;
  }
  const remote_reference& operator=(const remote_reference& other) const noexcept {  // NOLINT
    return *this = static_cast<T>(other);
  }
  remote_reference& operator=(const remote_reference& other) noexcept {  // NOLINT: of an element
    static_cast<const remote_reference&>(*this) = static_cast<T>(other);
    return *this;
  }
  friend void swap(remote_reference a, remote_reference b) noexcept {
    const T of_a = a;
    a = static_cast<T>(b);
    b = of_a;
  }

 private:
  window<T, A>* of_;
  rank rank_;
  disp at_;
  call_site where_;
};

// A random-access iterator over elements of one rank. Its reference is a proxy, so that
// `for (auto x : w[r])` copies no element: name the type of x.
template <class T, assertion_set A>
class remote_iterator {
 public:
  using iterator_category = std::random_access_iterator_tag;
  using value_type = T;
  using difference_type = std::ptrdiff_t;
  using pointer = void;
  using reference = remote_reference<T, A>;

  remote_iterator() noexcept = default;
  remote_iterator(window<T, A>& of, rank r, difference_type at, call_site where) noexcept
      : of_(&of), rank_(r), at_(at), where_(where) {}

  reference operator*() const noexcept { return (*this)[0]; }
  reference operator[](difference_type n) const noexcept {
    return {*of_, rank_, disp{static_cast<std::uint64_t>(at_ + n)}, where_};
  }
  remote_iterator& operator+=(difference_type n) noexcept {
    at_ += n;
    return *this;
  }
  remote_iterator& operator-=(difference_type n) noexcept { return *this += -n; }
  remote_iterator& operator++() noexcept { return *this += 1; }
  remote_iterator& operator--() noexcept { return *this -= 1; }
  remote_iterator operator++(int) noexcept {
    const remote_iterator before = *this;
    ++*this;
    return before;
  }
  remote_iterator operator--(int) noexcept {
    const remote_iterator before = *this;
    --*this;
    return before;
  }
  friend remote_iterator operator+(remote_iterator i, difference_type n) noexcept { return i += n; }
  friend remote_iterator operator+(difference_type n, remote_iterator i) noexcept { return i += n; }
  friend remote_iterator operator-(remote_iterator i, difference_type n) noexcept { return i -= n; }
  // Require: both are of one view.
  friend difference_type operator-(remote_iterator a, remote_iterator b) noexcept {
    return a.at_ - b.at_;
  }
  friend bool operator==(remote_iterator a, remote_iterator b) noexcept { return a.at_ == b.at_; }
  friend auto operator<=>(remote_iterator a, remote_iterator b) noexcept { return a.at_ <=> b.at_; }

 private:
  window<T, A>* of_ = nullptr;
  rank rank_{};
  difference_type at_ = 0;
  call_site where_;
};

// What w[r] returns: cheap to copy.
template <class T, assertion_set A>
class remote_view {
 public:
  using value_type = T;
  using iterator = remote_iterator<T, A>;
  using reference = remote_reference<T, A>;

  remote_view(window<T, A>& of, rank r) noexcept : of_(&of), rank_(r) {}

  [[nodiscard]] rank owner() const noexcept { return rank_; }
  [[nodiscard]] reference operator[](placed_disp i) const noexcept {
    return {*of_, rank_, i.at, i.where};
  }

  // Returns how many elements the rank gave at construction; 0 of a window that is not valid, of a
  // rank that the team does not have, and where assertions given at run time have attach.
  [[nodiscard]] std::size_t size() const noexcept requires fixed_parts<A> {
    return of_->any().elements_of(rank_);
  }
  [[nodiscard]] bool empty() const noexcept requires fixed_parts<A> { return size() == 0; }
  [[nodiscard]] iterator begin(call_site where = call_site::here()) const noexcept requires
      fixed_parts<A> {
    return {*of_, rank_, 0, where};
  }
  [[nodiscard]] iterator end(call_site where = call_site::here()) const noexcept requires
      fixed_parts<A> {
    return {*of_, rank_, static_cast<std::ptrdiff_t>(size()), where};
  }

  // Copies the elements from displacement `first` on into `values`, or `values` into them, as one
  // operation. Blocks until the result is usable, or the source reusable; a write is complete at
  // the target as one of an element is. Return the operation's code, or that of a flush before or
  // behind it, of which mapped memory needs none.
  status read(disp first, std::span<T> values, call_site where = call_site::here())
      const noexcept requires promises<A, assertion::multi_element> {
    const bool mapped = of_->run(rank_, first) != nullptr;
    if (!mapped)
      if (const status arrived = of_->arrive(rank_, where); !arrived.ok()) return arrived;
    const status begun = of_->get(rank_, first, values, where);
    return mapped || !begun.ok() ? begun : of_->arrive(rank_, where);
  }
  status write(disp first, std::span<const T> values, call_site where = call_site::here())
      const noexcept requires promises<A, assertion::multi_element> {
    const bool mapped = of_->run(rank_, first) != nullptr;
    const status begun = of_->put(rank_, first, values, where);
    return mapped || !begun.ok() ? begun : of_->arrive(rank_, where);
  }

 private:
  window<T, A>* of_;
  rank rank_;
};

}  // namespace oriel
