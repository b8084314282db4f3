// A communicator of another library lends its allgather to a session that opens.
#include "bindings/python/src/session.hpp"

namespace oriel::python {

namespace {

// A reference that threads without the interpreter's lock may copy and drop.
std::shared_ptr<py::object> shared_reference(py::object held) {
  return {new py::object(std::move(held)), [](py::object* mine) {
            if (Py_IsInitialized() == 0) return;  // Python is gone, and its objects with it
            const py::gil_scoped_acquire locked;
            delete mine;
          }};
}

}  // namespace

bootstrap_callbacks bootstrap_over(const py::object& comm, std::shared_ptr<py::object> raised) {
  bootstrap_callbacks lent;
  lent.rank = comm.attr("Get_rank")().cast<int>();
  lent.size = comm.attr("Get_size")().cast<int>();
  lent.allgather = [held = shared_reference(comm), size = lent.size, raised](
                       const void* mine, std::size_t bytes, void* all) -> status {
    const py::gil_scoped_acquire locked;
    try {
      const auto n = static_cast<py::ssize_t>(bytes);
      held->attr("Allgather")(py::memoryview::from_memory(mine, n),
                              py::memoryview::from_memory(all, n * size));
      return {};
    } catch (py::error_already_set& e) {
      *raised = e.value();
      return errc::peer_failed;
    }
  };
  return lent;
}

}  // namespace oriel::python
