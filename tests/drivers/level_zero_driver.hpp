// What the files of the Level Zero test driver share: devices, command lists, and how a call is
// traced.
//
// The same files make two libraries. One is a driver, which the real loader finds through
// ZE_ENABLE_ALT_DRIVERS, and which gives it tables of functions. The other has the loader's own
// name and shows its functions under theirs, as a loader of version 1.6 does.
#pragma once

#include <level_zero/ze_api.h>

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tests/drivers/ledger.hpp"
#include "tests/drivers/switches.hpp"
#include "tests/drivers/work_queue.hpp"

struct _ze_driver_handle_t {};
struct _ze_context_handle_t {};
struct _ze_device_handle_t {
  int ordinal = 0;
};
struct _ze_command_queue_handle_t {};

// Commands have no order but that of barriers: those between two of them are done backwards.
struct _ze_command_list_handle_t {
  int device = 0;
  bool immediate = false;
  bool at_once = false;  // immediate and synchronous
  bool closed = false;
  std::atomic<bool> in_use{false};
  std::vector<std::function<bool()>> unordered;
  oriel::test_driver::work_queue work;

  void barrier() {
    for (auto command = unordered.rbegin(); command != unordered.rend(); ++command)
      work.begin(std::move(*command));
    unordered.clear();
  }
};

namespace oriel::test_driver {

// Set by zeInit; a forked child's is false again.
bool initialized();
// The device's handle, and the number of a handle; null and -1 when there is no such device.
ze_device_handle_t device_handle(int ordinal);
int ordinal_of(ze_device_handle_t device);
// Puts a command into the list, and does it where the list does commands at once.
ze_result_t append_to(ze_command_list_handle_t list, std::function<bool()> command);

// Runs a call's body unless the call must fail, and writes it to the ledger. `detail` is added to
// the result: what the call gave out.
template <class Body>
ze_result_t traced(std::string_view call, const std::string& arguments, Body body) {
  std::string detail;
  ze_result_t result = ZE_RESULT_ERROR_UNKNOWN;
  if (!must_fail(call))
    result = call != "zeInit" && !initialized() ? ZE_RESULT_ERROR_UNINITIALIZED : body(detail);
  record(call, arguments, std::to_string(static_cast<long>(result)) + detail);
  return result;
}

}  // namespace oriel::test_driver

// What version 1.6 added. The loader of Debian 12 and its headers are older.
extern "C" {
#pragma GCC visibility push(default)
ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, uint64_t timeout);
ze_result_t zeMemPutIpcHandle(ze_context_handle_t context, ze_ipc_mem_handle_t handle);
#pragma GCC visibility pop
}
