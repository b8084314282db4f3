// The Level Zero test driver's queues and command lists.
#include "tests/drivers/level_zero_driver.hpp"

#include "tests/drivers/kept.hpp"

namespace oriel::test_driver {
namespace {

// A command list is for one thread at a time.
class turn {
 public:
  explicit turn(ze_command_list_handle_t list) : list_(*list) {
    if (list_.in_use.exchange(true)) fault("two threads use a command list", text_of(list));
  }
  ~turn() { list_.in_use.store(false); }
  turn(const turn&) = delete;
  turn& operator=(const turn&) = delete;

 private:
  _ze_command_list_handle_t& list_;
};

ze_result_t run(_ze_command_list_handle_t& list) {
  list.barrier();
  return list.work.wait() ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_DEVICE_LOST;
}

ze_result_t append(ze_command_list_handle_t list, std::function<bool()> command) {
  if (list->closed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  list->unordered.push_back(std::move(command));
  return list->at_once ? run(*list) : ZE_RESULT_SUCCESS;
}

}  // namespace

ze_result_t append_to(ze_command_list_handle_t list, std::function<bool()> command) {
  const turn mine(list);
  return append(list, std::move(command));
}

}  // namespace oriel::test_driver

using namespace oriel::test_driver;

extern "C" {

ze_result_t zeCommandQueueCreate(ze_context_handle_t, ze_device_handle_t,
                                 const ze_command_queue_desc_t*, ze_command_queue_handle_t* queue) {
  return traced("zeCommandQueueCreate", "", [&](std::string&) {
    *queue = kept<_ze_command_queue_handle_t>::make(new _ze_command_queue_handle_t);
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandQueueDestroy(ze_command_queue_handle_t queue) {
  return traced("zeCommandQueueDestroy", "", [&](std::string&) {
    kept<_ze_command_queue_handle_t>::destroy(queue);
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandQueueExecuteCommandLists(ze_command_queue_handle_t, std::uint32_t n,
                                              ze_command_list_handle_t* lists, ze_fence_handle_t) {
  return traced("zeCommandQueueExecuteCommandLists", std::to_string(n), [&](std::string&) {
    for (std::uint32_t i = 0; i < n; ++i) {
      if (!lists[i]->closed || lists[i]->immediate) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
      if (const ze_result_t result = run(*lists[i]); result != ZE_RESULT_SUCCESS) return result;
    }
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandQueueSynchronize(ze_command_queue_handle_t, std::uint64_t) {
  return traced("zeCommandQueueSynchronize", "", [](std::string&) { return ZE_RESULT_SUCCESS; });
}

ze_result_t zeCommandListCreate(ze_context_handle_t, ze_device_handle_t device,
                                const ze_command_list_desc_t*, ze_command_list_handle_t* list) {
  return traced("zeCommandListCreate", "", [&](std::string& detail) {
    *list = kept<_ze_command_list_handle_t>::make(new _ze_command_list_handle_t);
    (*list)->device = ordinal_of(device);
    detail = " -> " + text_of(*list);
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandListCreateImmediate(ze_context_handle_t, ze_device_handle_t device,
                                         const ze_command_queue_desc_t* description,
                                         ze_command_list_handle_t* list) {
  return traced("zeCommandListCreateImmediate", "", [&](std::string& detail) {
    *list = kept<_ze_command_list_handle_t>::make(new _ze_command_list_handle_t);
    (*list)->device = ordinal_of(device);
    (*list)->immediate = true;
    (*list)->at_once = description->mode == ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS;
    detail = " -> " + text_of(*list);
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandListDestroy(ze_command_list_handle_t list) {
  return traced("zeCommandListDestroy", text_of(list), [&](std::string&) {
    kept<_ze_command_list_handle_t>::destroy(list);
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandListClose(ze_command_list_handle_t list) {
  return traced("zeCommandListClose", text_of(list), [&](std::string&) {
    list->closed = true;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandListReset(ze_command_list_handle_t list) {
  return traced("zeCommandListReset", text_of(list), [&](std::string&) {
    list->unordered.clear();
    list->closed = false;
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandListAppendMemoryCopy(ze_command_list_handle_t list, void* to, const void* from,
                                          std::size_t bytes, ze_event_handle_t, std::uint32_t,
                                          ze_event_handle_t*) {
  return traced(
      "zeCommandListAppendMemoryCopy",
      text_of(to) + ", " + text_of(from) + ", " + std::to_string(bytes),
      [&](std::string&) { return append_to(list, [=] { return copy_bytes(to, from, bytes); }); });
}

ze_result_t zeCommandListAppendMemoryFill(ze_command_list_handle_t list, void* to,
                                          const void* pattern, std::size_t pattern_bytes,
                                          std::size_t bytes, ze_event_handle_t, std::uint32_t,
                                          ze_event_handle_t*) {
  return traced("zeCommandListAppendMemoryFill", text_of(to) + ", " + std::to_string(bytes),
                [&](std::string&) {
                  if (pattern_bytes != 1) return ZE_RESULT_ERROR_INVALID_SIZE;
                  const unsigned char value = *static_cast<const unsigned char*>(pattern);
                  return append_to(list, [=] { return fill_bytes(to, value, bytes); });
                });
}

ze_result_t zeCommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t,
                                       std::uint32_t, ze_event_handle_t*) {
  return traced("zeCommandListAppendBarrier", text_of(list), [&](std::string&) {
    const turn mine(list);
    list->barrier();
    return ZE_RESULT_SUCCESS;
  });
}

ze_result_t zeCommandListHostSynchronize(ze_command_list_handle_t list, std::uint64_t) {
  return traced("zeCommandListHostSynchronize", text_of(list), [&](std::string&) {
    const turn mine(list);
    return list->immediate ? run(*list) : ZE_RESULT_ERROR_INVALID_ARGUMENT;
  });
}

}  // extern "C"
