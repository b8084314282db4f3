#include <oriel/oriel.hpp>

#include <cstdio>
#include <string>

using oriel::assertion;

int main(int argc, char** argv) {
  oriel::session job{argc, argv};
  oriel::team world = job.world();
  constexpr auto promise = assertion::shared_lock | assertion::local_load_store;
  auto cells = oriel::window<int, promise>::allocate(world, 8, {.name = "cells"});

  if (world.me().value == 0) {
    const oriel::rank target = world.next();
    const auto report = [](const char* what, oriel::status s) {
      std::printf("%s: %s\n", what, s.ok() ? "success" : std::string(name(s.code())).c_str());
    };
    report("a put without an epoch", cells.put(target, oriel::disp{0}, 1));
    auto epoch = cells.lock_all();
    report("a put beyond the end", cells.put(target, oriel::disp{8}, 1));
    report("a put to nobody", cells.put(oriel::rank{99}, oriel::disp{0}, 1));
    report("a put", cells.put(target, oriel::disp{3}, 1));
    report("another to the same element", cells.put(target, oriel::disp{3}, 2));
  }
  world.barrier().or_throw();
}
