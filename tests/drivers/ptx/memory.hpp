// Where a kernel's accesses go: the heap's allocations and pinned memory of the host.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace oriel::test_driver::ptx {

class memory_ranges {
 public:
  // Of kernels on this device, which has access to the peers whose bits are set.
  void belong_to(int device, std::uint32_t peers) {
    device_ = device;
    peers_ = peers;
  }
  // Where the driver accesses what a kernel names by `address`; null where a kernel reaches
  // nothing, or less than `bytes`. `atomic`: whether updates are, with all others.
  struct place {
    std::byte* at = nullptr;
    bool atomic = false;
  };
  place reach(std::uint64_t address, std::size_t bytes) {
    for (const range& r : known_)
      if (address - r.begin < r.bytes && r.bytes - (address - r.begin) >= bytes && is_current())
        return {r.at + (address - r.begin), r.atomic};
    return look_up(address, bytes);
  }

 private:
  struct range {
    std::uint64_t begin = 0, bytes = 0;
    std::byte* at = nullptr;
    bool atomic = false;
  };
  bool is_current() const;
  place look_up(std::uint64_t address, std::size_t bytes);

  std::vector<range> known_;
  std::uint64_t version_ = 0;  // of the heap
  int device_ = 0;
  std::uint32_t peers_ = ~0u;
};

struct thread;
struct instruction;

struct reached {
  std::byte* at = nullptr;
  bool global = false;  // others see it
  std::uint32_t shared_offset = 0;
  bool shared = false;
};
// The place of `bytes` at an address of the instruction's space. Throws `error` where it is
// misaligned, out of bounds, or where no memory is.
reached reach(thread&, const instruction&, std::uint64_t address, std::size_t bytes);

}  // namespace oriel::test_driver::ptx
