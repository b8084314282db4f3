#include <algorithm>
#include <string>

#include "win/datatype/description.hpp"

namespace oriel {
namespace {

// Walks the primitives of `count` elements, a run of equal ones at a time.
class signature_cursor {
 public:
  signature_cursor(const datatype& t, std::size_t count) : runs_(t.runs()), left_(count) {
    if (runs_.empty()) left_ = 0;
    load();
  }
  [[nodiscard]] bool done() const noexcept { return left_ == 0; }
  [[nodiscard]] primitive type() const noexcept { return runs_[run_].type; }
  [[nodiscard]] std::size_t available() const noexcept { return available_; }
  void advance(std::size_t n) {
    available_ -= n;
    if (available_ != 0) return;
    if (++run_ == runs_.size()) {
      run_ = 0;
      --left_;
    }
    load();
  }

 private:
  void load() {
    if (left_ != 0) available_ = runs_[run_].elements * runs_[run_].blocks;
  }
  std::span<const datatype::run> runs_;
  std::size_t left_;
  std::size_t run_ = 0;
  std::size_t available_ = 0;
};

}  // namespace

std::size_t datatype::size() const noexcept {
  return description_->size;
}
std::ptrdiff_t datatype::lb() const noexcept {
  return description_->lb;
}
std::ptrdiff_t datatype::ub() const noexcept {
  return description_->ub;
}
std::ptrdiff_t datatype::true_lb() const noexcept {
  return description_->true_lb;
}
std::size_t datatype::true_extent() const noexcept {
  return static_cast<std::size_t>(description_->true_ub - description_->true_lb);
}
bool datatype::predefined() const noexcept {
  return description_->predefined;
}
bool datatype::contiguous() const noexcept {
  return description_->contiguous;
}
primitive datatype::base() const noexcept {
  return description_->base;
}
std::span<const datatype::run> datatype::runs() const noexcept {
  return description_->runs;
}
std::uint64_t datatype::hash() const noexcept {
  return description_->hash;
}

bool operator==(const datatype& a, const datatype& b) noexcept {
  const auto& x = *a.description_;
  const auto& y = *b.description_;
  return &x == &y || (x.runs == y.runs && x.lb == y.lb && x.ub == y.ub);
}

bool datatype::signatures_match(const datatype& a, std::size_t count_a, const datatype& b,
                                std::size_t count_b) {
  if (a.size() * count_a != b.size() * count_b) return false;
  // The common cases need no walk: one primitive throughout.
  const auto uniform = [](const datatype& t) { return t.runs().size() <= 1; };
  if (uniform(a) && uniform(b)) return a.base() == b.base() || a.size() * count_a == 0;
  if (a == b) return true;
  signature_cursor x(a, count_a), y(b, count_b);
  while (!x.done() && !y.done()) {
    if (x.type() != y.type()) return false;
    const std::size_t n = std::min(x.available(), y.available());
    x.advance(n);
    y.advance(n);
  }
  return x.done() && y.done();
}

std::string datatype::describe() const {
  const description& d = *description_;
  if (d.predefined && d.base != primitive::opaque) return std::string(name(d.base));
  if (d.predefined) return std::to_string(d.size) + " opaque bytes";
  return std::to_string(d.runs.size()) + (d.runs.size() == 1 ? " run" : " runs") + " of " +
         std::to_string(d.size) + " bytes, extent " + std::to_string(d.ub - d.lb);
}

}  // namespace oriel
