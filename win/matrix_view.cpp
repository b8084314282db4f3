#include "oriel/matrix_view.hpp"

#include "win/window_core.hpp"

namespace oriel::detail {

namespace {

std::string in_words(const matrix_extents& e) {
  return std::to_string(e.rows) + " x " + std::to_string(e.columns) + " elements, rows " +
         std::to_string(e.leading) + " apart, from displacement " + std::to_string(e.first.value);
}

}  // namespace

matrix_extents checked_extents(any_window& of, const matrix_extents& wanted) {
  matrix_extents e = wanted;
  if (e.leading == 0) e.leading = e.columns;
  const std::uint64_t count = of.valid() ? of.local_count() : 0;
  if (fits(e, count)) return e;
  window_core& core = *of.view().core;
  const std::string what = "reshape to " + in_words(e) + ": this rank has " +
                           std::to_string(count) + " elements" +
                           (e.leading < e.columns ? ", and rows would overlap" : "");
  if (!of.valid()) throw error(errc::win, what);
  const errc code = core.fail(errc::size, what);
  throw error(code, core.failure.last());
}

errc outside_matrix(any_window& of, errc code, rank r, const block_transfer& t,
                    const matrix_extents& e) noexcept {
  if (!of.valid()) return errc::win;
  const matrix_index& at = r == any_rank ? t.here : t.there;
  try {
    return of.view().core->fail(
        code,
        "a transfer of " + std::to_string(t.rows) + " x " + std::to_string(t.columns) +
            " elements at row " + std::to_string(at.row) + ", column " + std::to_string(at.column) +
            " of " +
            (r == any_rank ? "this rank's matrix, which has "
                           : "the matrix of rank " + std::to_string(r.value) + ", which has ") +
            in_words(e) +
            (r == any_rank ? "" : ", in " + std::to_string(of.elements_of(r)) + " elements"));
  } catch (const std::bad_alloc&) {
    return code;
  }
}

}  // namespace oriel::detail
