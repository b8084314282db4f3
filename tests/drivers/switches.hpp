// What the environment sets for a test driver. Read at every call, so that a test may change its
// mind in one process:
//   ORIEL_TEST_DEVICES  how many devices there are; 2 by default
//   ORIEL_TEST_FIRST_DEVICE  which of the machine's is the first that the process sees; 0 by
//   default ORIEL_TEST_MEMORY   bytes that one process may allocate on one device; 8 GiB by default
//   ORIEL_TEST_ROOM     blocks that are resident at once (room.hpp); any number by default
//   ORIEL_TEST_REFUSE   what the machine cannot do: a list of ipc, managed, peer, atomics,
//                       wait_value; peer_atomics and host_atomics: those over links
//   ORIEL_TEST_ORPHAN   a process that ends when another is about to open its memory
//   ORIEL_TEST_FAIL     "call:n": the n-th call of that name from now fails; "call:*": every one
#pragma once

#include <cstdint>
#include <string_view>

namespace oriel::test_driver {

int devices();
// Of a device that the process counts so, among all of the machine.
int machine_device(int ordinal);
std::uint64_t memory_limit();
unsigned resident_blocks();
bool refuses(std::string_view ability);
// Ends the process whose memory is about to be opened, if ORIEL_TEST_ORPHAN names it.
void orphan(int owner);
// Counts the call, and says whether this is the one that ORIEL_TEST_FAIL names.
bool must_fail(std::string_view call);

}  // namespace oriel::test_driver
