// What a simulated provider of libfabric promises, and how hard it makes the life of who uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace oriel::sim {

struct provider_traits {
  // --- What it says of itself
  std::string name = "tcp;ofi_rxm";
  std::uint64_t order = 0;          // of libfabric's FI_ORDER_ bits, those that hold
  bool confirms_delivery = true;    // FI_DELIVERY_COMPLETE; else such writes are refused
  bool progresses_alone = false;    // else only while its user polls
  bool wakes = true;                // has descriptors to sleep on
  bool wants_registration = false;  // of its user's own buffers
  bool chooses_keys = false;        // and counts in addresses
  std::size_t data_bytes = 8;       // of completion data; 0: none
  std::size_t inject_size = 64;
  std::size_t longest = std::size_t{1} << 20;
  int rails = 1;  // more: it is over so many interfaces, sim0, sim1, ...

  // --- What it does besides
  std::uint64_t posts_between_refusals = 64;  // a storm of EAGAIN begins with one of so many
  std::size_t most_under_way = 64;            // of one endpoint; then EAGAIN
  bool tells_of_the_dead = true;              // operations to them fail; else nothing comes of them
  bool refuses_the_dead = false;  // what is posted to them is not taken, from their death on
};

// Some traits of each kind of provider that oriel knows, drawn by a number.
provider_traits drawn_traits(std::uint64_t number);

}  // namespace oriel::sim
