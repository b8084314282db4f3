// Heat on a torus of tiles: each rank owns a tile of a plane, and puts its edges into its
// neighbours' halos before each step, rows as they lie and columns strided. Every rank computes the
// whole plane too, and compares.
#include <oriel/oriel.hpp>

#include <cmath>
#include <cstdio>
#include <vector>

using namespace oriel;

namespace {

constexpr std::size_t rows = 24, columns = 16;  // of a tile, halos aside
constexpr int steps = 40;
constexpr auto promise = assertion::fence | assertion::local_load_store | assertion::multi_element |
                         assertion::user_datatype;
using plane = window<double, promise>;

// Ranks as a grid that is as square as their number allows.
struct grid {
  int down = 1, across = 1, me = 0;
  explicit grid(const team& world) : me(world.me().value) {
    while ((down + 1) * (down + 1) <= world.size()) ++down;
    while (world.size() % down != 0) --down;
    across = world.size() / down;
  }
  [[nodiscard]] rank neighbour(int to_south, int to_east) const {
    const int i = (me / across + to_south + down) % down;
    const int j = (me % across + to_east + across) % across;
    return rank{i * across + j};
  }
};

double start(std::size_t i, std::size_t j) {
  return std::sin(static_cast<double>(i)) + std::cos(0.3 * static_cast<double>(j));
}

double next_heat(double here, double north, double south, double west, double east) {
  return here + 0.1 * (north + south + west + east - 4 * here);
}

void exchange_halos(const matrix_view<double, promise>& tile, const grid& at) {
  tile.put_row({.peer = at.neighbour(-1, 0), .here = 1, .there = rows + 1}).or_throw();
  tile.put_row({.peer = at.neighbour(1, 0), .here = rows, .there = 0}).or_throw();
  tile.put_column({.peer = at.neighbour(0, -1), .here = 1, .there = columns + 1}).or_throw();
  tile.put_column({.peer = at.neighbour(0, 1), .here = columns, .there = 0}).or_throw();
}

std::vector<double> whole_plane(std::size_t height, std::size_t width) {
  std::vector<double> now(height * width), then(height * width);
  for (std::size_t k = 0; k < now.size(); ++k) now[k] = start(k / width, k % width);
  for (int s = 0; s < steps; ++s) {
    for (std::size_t i = 0; i < height; ++i)
      for (std::size_t j = 0; j < width; ++j) {
        const auto at = [&](std::size_t r, std::size_t c) {
          return now[r % height * width + c % width];
        };
        then[i * width + j] = next_heat(at(i, j), at(i + height - 1, j), at(i + 1, j),
                                        at(i, j + width - 1), at(i, j + 1));
      }
    now.swap(then);
  }
  return now;
}

}  // namespace

int main(int argc, char** argv) {
  session job{argc, argv};
  const team world = job.world();
  const grid at(world);
  // Two planes in turn: one is read while the other is written.
  plane even = plane::allocate(world, (rows + 2) * (columns + 2), {.name = "even"});
  plane odd = plane::allocate(world, (rows + 2) * (columns + 2), {.name = "odd"});
  const matrix_extents with_halos{.rows = rows + 2, .columns = columns + 2};

  const auto first_row = static_cast<std::size_t>(at.me / at.across) * rows;
  const auto first_column = static_cast<std::size_t>(at.me % at.across) * columns;
  const auto begin = even.reshape(with_halos);
  for (std::size_t i = 1; i <= rows; ++i)
    for (std::size_t j = 1; j <= columns; ++j)
      begin(i, j) = start(first_row + i - 1, first_column + j - 1);

  for (int s = 0; s < steps; ++s) {
    plane& now = s % 2 == 0 ? even : odd;
    const auto tile = now.reshape(with_halos);
    const auto then = (s % 2 == 0 ? odd : even).reshape(with_halos);
    now.fence().or_throw();
    exchange_halos(tile, at);
    now.fence().or_throw();
    for (std::size_t i = 1; i <= rows; ++i)
      for (std::size_t j = 1; j <= columns; ++j)
        then(i, j) =
            next_heat(tile(i, j), tile(i - 1, j), tile(i + 1, j), tile(i, j - 1), tile(i, j + 1));
  }

  static_assert(steps % 2 == 0, "the last plane is the even one");
  const std::size_t width = static_cast<std::size_t>(at.across) * columns;
  const auto expected = whole_plane(static_cast<std::size_t>(at.down) * rows, width);
  int wrong = 0;
  for (std::size_t i = 1; i <= rows; ++i)
    for (std::size_t j = 1; j <= columns; ++j)
      if (std::abs(begin(i, j) - expected[(first_row + i - 1) * width + first_column + j - 1]) >
          1e-12)
        ++wrong;
  wrong = world.allreduce(wrong, atomic_op::sum);
  if (at.me == 0)
    std::printf("%d steps on %d x %d tiles of %zu x %zu: %s\n", steps, at.down, at.across, rows,
                columns, wrong == 0 ? "right" : "wrong");
  return wrong == 0 ? 0 : 1;
}
