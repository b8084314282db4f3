// The process at the other end of tests/kinds/device_peer.hpp. Gives all back as its input ends.
#include "tests/kinds/device_peer.hpp"

#include <string>
#include <vector>

#include "tests/kinds/device_fixture.hpp"

namespace oriel::testing {
namespace {

struct peer_state {
  kinds::device_runtime& runtime;
  std::vector<std::pair<kinds::ipc_ticket, std::byte*>> opened;
  std::byte* allocated = nullptr;

  std::byte* place(const peer_request& r) { return opened.at(r.opened).second + r.offset; }

  peer_answer add(const peer_request& r) {
    peer_answer answer;
    std::uint64_t before = 0;
    const kinds::atomic_task task = adding_one(place(r), &before);
    for (std::uint64_t i = 0; i < r.value && answer.code == errc::success; ++i) {
      answer.code = runtime.apply(0, task);
      answer.value += before;
    }
    return answer;
  }

  peer_answer serve(const peer_request& r) {
    peer_answer answer;
    switch (r.verb) {
      case peer_verb::ready:
        break;
      case peer_verb::open:
        opened.emplace_back(r.ticket, runtime.open(r.ticket, 0));
        answer.value = opened.size() - 1;
        break;
      case peer_verb::read:
        answer.code = runtime.copy(&answer.value, place(r), sizeof answer.value);
        break;
      case peer_verb::write:
        answer.code = runtime.copy(place(r), &r.value, sizeof r.value);
        break;
      case peer_verb::add:
        return add(r);
      case peer_verb::close:
        runtime.close(opened.at(r.opened).first, opened.at(r.opened).second);
        break;
      case peer_verb::allocate:
        allocated = runtime.allocate(0, kinds::residence::device, r.value);
        answer.ticket = runtime.export_memory(allocated + r.offset);
        break;
      case peer_verb::free_again:
        runtime.free(allocated);
        break;
    }
    return answer;
  }
};

int serve_all() {
  kinds::device_runtime* const runtime = kinds::runtime(vendor_under_test());
  if (runtime == nullptr) return 1;
  peer_state state{*runtime, {}, nullptr};
  for (peer_request request; read(0, &request, sizeof request) == sizeof request;) {
    peer_answer answer;
    try {
      answer = state.serve(request);
    } catch (const error& e) {
      answer.code = e.code();
    }
    if (write(1, &answer, sizeof answer) != sizeof answer) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace oriel::testing

int main() {
  return oriel::testing::serve_all();
}
