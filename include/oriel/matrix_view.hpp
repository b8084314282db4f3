// window::reshape: the memory of every rank as a matrix, whose rows, columns and blocks travel
// between ranks.
//
//   auto tile = heat.reshape({.rows = n + 2, .columns = m + 2});  // local, nothing moves
//   tile(i, j) = 1.0;                                             // memory of this rank
//   tile.put_row({.peer = north, .here = 1, .there = n + 1}).or_throw();
//   tile.put_column({.peer = west, .here = 1, .there = m + 1, .first = 1, .count = n}).or_throw();
//   const block_transfer t{.peer = east, .rows = 2, .columns = 3, .here = {0, 0}, .there = {4, 4}};
//   tile.get_block(t).or_throw();
//
// Element (i, j) is the one at displacement first + i * leading + j of the rank's memory: rows are
// contiguous, columns are not. A peer's matrix has the same extents unless the transfer names
// others.
//
// A transfer is one operation between this rank's matrix and the peer's, by derived datatypes where
// it is not contiguous. Its completion and its epochs are those of put and get of several elements
// (oriel/window.hpp): the elements here may be changed, or are there, after flush_local; complete
// at the target after flush, and after the end of the epoch.
//
// Returns arg for what does not lie in this rank's matrix, rma_range for what does not lie in the
// peer's, and what put and get return.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <span>

#include "oriel/nonblocking_operations.hpp"

namespace oriel {

template <class T, assertion_set A>
class window;

// Where a matrix lies in a rank's memory.
struct matrix_extents {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t leading = 0;  // elements from one row to the next; 0: as many as a row has
  disp first{};             // of element (0, 0)
};

// An element's place in a matrix.
struct matrix_index {
  std::size_t row = 0;
  std::size_t column = 0;
};

// As many elements as this rank's matrix has from the first one on.
inline constexpr std::size_t to_the_end = std::numeric_limits<std::size_t>::max();

// Elements [first, first + count) of a row, or of a column, which is number `here` of this rank's
// matrix and `there` of the peer's.
struct line_transfer {
  rank peer;
  std::size_t here = 0;
  std::size_t there = 0;
  std::size_t first = 0;
  std::size_t count = to_the_end;
  matrix_extents extents_there = {};  // no rows and columns: as here
};

// rows x columns elements, the first of which is `here` and `there`.
struct block_transfer {
  rank peer;
  std::size_t rows = 1;
  std::size_t columns = 1;
  matrix_index here = {};
  matrix_index there = {};
  matrix_extents extents_there = {};  // likewise
};

namespace detail {
// Returns whether the matrix lies in `count` elements.
constexpr bool fits(const matrix_extents& e, std::uint64_t count) noexcept {
  if (e.rows == 0 || e.columns == 0) return true;
  if (e.leading < e.columns || e.first.value > count || count - e.first.value < e.columns)
    return false;
  return e.rows - 1 <= (count - e.first.value - e.columns) / e.leading;
}
// Returns them with a leading dimension. Throws size where they do not fit into this rank's part.
matrix_extents checked_extents(any_window&, const matrix_extents&);
// Latches what a transfer that does not lie in the matrix of `r` returns: `code`.
errc outside_matrix(any_window&, errc code, rank r, const block_transfer&,
                    const matrix_extents&) noexcept;
}  // namespace detail

// What reshape returns: cheap to copy. Requires: the window outlives it, and is not moved.
//
// Threads: as the window's.
template <class T, assertion_set A>
class matrix_view {
 public:
  // For window::reshape.
  matrix_view(window<T, A>& of, const matrix_extents& extents)
      : of_(&of), data_(of.local().data()), extents_(detail::checked_extents(of.any(), extents)) {
    if (data_ != nullptr) data_ += extents_.first.value;
  }

  [[nodiscard]] std::size_t rows() const noexcept { return extents_.rows; }
  [[nodiscard]] std::size_t columns() const noexcept { return extents_.columns; }
  [[nodiscard]] std::size_t leading_dimension() const noexcept { return extents_.leading; }
  [[nodiscard]] const matrix_extents& extents() const noexcept { return extents_; }

  // Return this rank's memory: the element, the row, and element (0, 0). Requires: i < rows(),
  // j < columns(); the host reaches the memory.
  [[nodiscard]] T& operator()(std::size_t i, std::size_t j) const noexcept {
    return data_[i * extents_.leading + j];
  }
  [[nodiscard]] std::span<T> row(std::size_t i) const noexcept {
    return {data_ + i * extents_.leading, extents_.columns};
  }
  [[nodiscard]] T* data() const noexcept { return data_; }

  // As put of several elements. Source reusable after flush_local.
  status put_row(const line_transfer& t, call_site at = call_site::here())
      const noexcept requires promises<A, assertion::multi_element> {
    return transfer_row(t, [this, &t, at](disp there, std::span<T> mine) noexcept {
      return of_->put(t.peer, there, std::span<const T>(mine), at);
    });
  }
  // As get of several elements. Result usable after flush_local.
  status get_row(const line_transfer& t, call_site at = call_site::here())
      const noexcept requires promises<A, assertion::multi_element> {
    return transfer_row(t, [this, &t, at](disp there, std::span<T> mine) noexcept {
      return of_->get(t.peer, there, mine, at);
    });
  }
  // As put with shapes.
  status put_column(const line_transfer& t, call_site at = call_site::here())
      const noexcept requires promises<A, assertion::user_datatype> {
    return put_block(block_of_column(t), at);
  }
  // As get with shapes.
  status get_column(const line_transfer& t, call_site at = call_site::here())
      const noexcept requires promises<A, assertion::user_datatype> {
    return get_block(block_of_column(t), at);
  }
  // As put with shapes.
  status put_block(const block_transfer& t, call_site at = call_site::here())
      const noexcept requires promises<A, assertion::user_datatype> {
    return transfer_block(t, [&](disp there, T* mine, const shape& of_mine, const shape& s) {
      return of_->put(t.peer, there, mine, of_mine, s, at);
    });
  }
  // As get with shapes.
  status get_block(const block_transfer& t, call_site at = call_site::here())
      const noexcept requires promises<A, assertion::user_datatype> {
    return transfer_block(t, [&](disp there, T* mine, const shape& of_mine, const shape& s) {
      return of_->get(t.peer, there, mine, of_mine, s, at);
    });
  }

 private:
  [[nodiscard]] matrix_extents there(const matrix_extents& named) const noexcept {
    if (named.rows == 0 && named.columns == 0) return extents_;
    return {named.rows, named.columns, named.leading == 0 ? named.columns : named.leading,
            named.first};
  }
  // Of a line, which ends with this rank's matrix where no count says otherwise.
  static std::size_t length_of(const line_transfer& t, std::size_t length) noexcept {
    return t.count != to_the_end ? t.count : t.first < length ? length - t.first : 0;
  }
  [[nodiscard]] block_transfer block_of_row(const line_transfer& t) const noexcept {
    return {t.peer,         1, length_of(t, columns()), {t.here, t.first}, {t.there, t.first},
            t.extents_there};
  }
  [[nodiscard]] block_transfer block_of_column(const line_transfer& t) const noexcept {
    return {t.peer,         length_of(t, rows()), 1, {t.first, t.here}, {t.first, t.there},
            t.extents_there};
  }
  // Success for a block that lies in both matrices.
  errc lies_within(const block_transfer& t, const matrix_extents& theirs) const noexcept {
    const auto holds = [&t](const matrix_extents& e, const matrix_index& at) {
      return t.rows <= e.rows && at.row <= e.rows - t.rows && t.columns <= e.columns &&
             at.column <= e.columns - t.columns;
    };
    any_window& any = of_->any();
    if (!holds(extents_, t.here)) [[unlikely]]
      return detail::outside_matrix(any, errc::arg, any_rank, t, extents_);
    if (!holds(theirs, t.there) || !detail::fits(theirs, any.elements_of(t.peer))) [[unlikely]]
      return detail::outside_matrix(any, errc::rma_range, t.peer, t, theirs);
    return errc::success;
  }
  [[nodiscard]] static disp place_in(const matrix_extents& e, const matrix_index& at) noexcept {
    return e.first + (at.row * e.leading + at.column);
  }

  template <class Move>
  status transfer_row(const line_transfer& line, Move move) const noexcept {
    const block_transfer t = block_of_row(line);
    const matrix_extents theirs = there(t.extents_there);
    if (const errc e = lies_within(t, theirs); e != errc::success) return e;
    return move(place_in(theirs, t.there), row(t.here.row).subspan(t.here.column, t.columns));
  }
  template <class Move>
  status transfer_block(const block_transfer& t, Move move) const noexcept {
    const matrix_extents theirs = there(t.extents_there);
    if (const errc e = lies_within(t, theirs); e != errc::success) return e;
    if (t.rows == 0 || t.columns == 0) return {};
    const auto layout = [&t](const matrix_extents& e) {
      return shape{datatype::vector(t.rows, t.columns, static_cast<std::ptrdiff_t>(e.leading),
                                    datatype::of<T>())};
    };
    try {
      return move(place_in(theirs, t.there), &(*this)(t.here.row, t.here.column), layout(extents_),
                  layout(theirs));
    } catch (const std::bad_alloc&) {
      return errc::no_mem;
    }
  }

  window<T, A>* of_;
  T* data_;
  matrix_extents extents_;
};

}  // namespace oriel
