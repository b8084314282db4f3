// What this rank has attached for ranks of other nodes to read and write remotely, and who has been
// told where it is: those must forget it before it is detached.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "sync/system.hpp"
#include "transport/fabric.hpp"
#include "win/route/told_places.hpp"
#include "win/segment_tree.hpp"

namespace oriel::win {

class attached_exposures {
 public:
  // Registers the buffer, of `extent`-byte elements, under a key that `id` of the window gives.
  void add(transport::fabric&, std::uint64_t id, const segment_record&,
           std::uint64_t extent) noexcept;
  // The buffer that holds [at, at + bytes), for world rank `asker`, which counts as told; of no
  // bytes where none does. Only its owner reaches what the provider does not register, and what has
  // pages that may not be written: a remote write there would end the connection, where the owner
  // answers with an error.
  told_place tell(std::uint64_t at, std::uint64_t bytes, int asker) noexcept;

  struct withdrawn {
    std::unique_ptr<transport::exposure> memory;  // null: it was not registered
    std::uint64_t first = 0;
    std::vector<int> told;  // world ranks
    transport::loan lent;
  };
  // Nobody is told of the buffer any more.
  withdrawn remove(std::uint64_t handle) noexcept;
  void clear() noexcept;
  // All stay exposed until the session ends.
  void keep(transport::fabric&) noexcept;

 private:
  struct exposed {
    told_place place;
    std::uint64_t address = 0;
    std::unique_ptr<transport::exposure> memory;  // null: not registered
    bool looked_at = false;                       // whether its pages may be written
    std::vector<int> told;
    transport::loan lent;
  };

  sync::mutex mutex_;
  std::map<std::uint64_t, exposed> by_first_;
  std::unordered_map<std::uint64_t, std::uint64_t> first_of_;  // by handle
};

}  // namespace oriel::win
