// A session as Python holds it, and memory that one has allocated.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "bindings/python/src/module.hpp"
#include "oriel/session.hpp"

namespace oriel::python {

// Memory of Session.alloc_mem: freed when neither it nor an array on it is left.
struct allocation {
  std::shared_ptr<session> of;
  std::span<std::byte> bytes;
  std::string kind;
  allocation(std::shared_ptr<session> s, std::span<std::byte> b, std::string k)
      : of(std::move(s)), bytes(b), kind(std::move(k)) {}
  allocation(const allocation&) = delete;
  allocation& operator=(const allocation&) = delete;
  // With the interpreter's lock, which it lets go of: the session may end here.
  ~allocation() {
    const py::gil_scoped_release released;
    static_cast<void>(of->free_mem(bytes));
    of.reset();
  }
};

// Returns a bootstrap over a communicator of mpi4py, or anything that has Get_rank, Get_size and
// Allgather. What Allgather raises is kept in `raised`, for whoever opens the session.
bootstrap_callbacks bootstrap_over(const py::object& comm, std::shared_ptr<py::object> raised);

}  // namespace oriel::python
