#include <oriel/oriel.hpp>

#include <cstdio>
#include <string>

using oriel::assertion;

// Returns the bytes that oriel itself takes on this node for a window that promises this much.
template <oriel::assertion_set Promise>
std::size_t cost(const oriel::team& world) {
  return oriel::any_window::allocate(world, 1, oriel::datatype::of<int>(), Promise)
      .metadata_bytes();
}

int main(int argc, char** argv) {
  oriel::session job{argc, argv};
  oriel::team world = job.world();
  const bool first = world.me().value == 0;

  // The same promises at run time: what was not promised is refused, and says what to add.
  auto table = oriel::window<int>::allocate(world, 8, assertion::shared_lock);
  const oriel::status refused = table.fence();
  if (first && refused.code() == oriel::errc::not_asserted)
    std::printf("fence was not promised: %s\n", std::string(name(refused.code())).c_str());

  // What is not promised takes no memory.
  constexpr auto little = oriel::assertion_set(assertion::shared_lock);
  constexpr auto more = assertion::shared_lock | assertion::exclusive_lock | assertion::fence |
                        assertion::pscw | assertion::notify;
  const std::size_t less = cost<little>(world), all = cost<more>(world);
  if (first)
    std::printf("five promises take %s memory than one\n", all > less ? "more" : "no more");
}
