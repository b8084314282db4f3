#include "mpi/types.hpp"

#include <memory>
#include <mutex>

#include "mpi/derived_types.hpp"
#include "mpi/predefined_types.hpp"
#include "mpi/type_contents.hpp"
#include "oriel/errc.hpp"

namespace oriel::mpi {
namespace {

// Held while a type is decoded, across calls of MPI's; so the callback below must not take it.
constinit std::mutex decoding;
constinit int keyval = MPI_KEYVAL_INVALID;  // under `decoding`; MPI_KEYVAL_INVALID until first used

// MPI frees a type that carries our attribute. Its handle may come back as another type's.
int type_is_freed(MPI_Datatype type, int, void*, void*) {
  seen_types.erase(type);
  return MPI_SUCCESS;
}

// Has MPI call us when it frees the type. Copies of a type are decoded afresh.
bool watch(MPI_Datatype type) {
  if (keyval == MPI_KEYVAL_INVALID && PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, type_is_freed,
                                                              &keyval, nullptr) != MPI_SUCCESS)
    return false;
  return PMPI_Type_set_attr(type, keyval, nullptr) == MPI_SUCCESS;
}

// Reads the bounds that MPI reports; returns false where it reports an error.
bool ask_bounds(type_entry& e) {
  MPI_Count size = 0;
  MPI_Aint lb = 0, extent = 0, true_lb = 0, true_extent = 0;
  if (PMPI_Type_size_x(e.handle, &size) != MPI_SUCCESS ||
      PMPI_Type_get_extent(e.handle, &lb, &extent) != MPI_SUCCESS ||
      PMPI_Type_get_true_extent(e.handle, &true_lb, &true_extent) != MPI_SUCCESS)
    return false;
  e.size = static_cast<std::size_t>(size);
  e.lb = lb;
  e.extent = extent;
  e.true_lb = true_lb;
  e.true_extent = static_cast<std::size_t>(true_extent);
  return true;
}

// Returns whether the decoded layout agrees with the library's own figures. Its bytes may be fewer
// at either end: MPICH 4.0 reports some distributed arrays as long as the whole array.
bool agrees(const type_entry& e, const datatype& bytes) {
  if (bytes.size() != e.size || bytes.lb() != e.lb || bytes.extent() != e.extent) return false;
  const std::ptrdiff_t end = bytes.true_lb() + static_cast<std::ptrdiff_t>(bytes.true_extent());
  return e.size == 0 || (bytes.true_lb() >= e.true_lb &&
                         end <= e.true_lb + static_cast<std::ptrdiff_t>(e.true_extent));
}

void decode(type_entry& e) {
  const datatype elements = elements_of(e.handle);
  const datatype bytes = bytes_of(elements);
  if (!agrees(e, bytes)) return;
  e.known = true;
  e.true_lb = bytes.true_lb();
  e.true_extent = bytes.true_extent();
  e.element_layout = elements;
  e.byte_layout = bytes;
  e.dense = e.size == 0 || bytes.contiguous();
  if (elements.contiguous() && elements.base() != primitive::opaque) {
    e.element = elements.base();
    e.element_count = elements.size() / size_of(e.element);
  }
}

}  // namespace

const type_entry* enter_type(MPI_Datatype type) noexcept try {
  if (type == MPI_DATATYPE_NULL) return nullptr;
  const std::lock_guard guard(decoding);
  if (const type_entry* other = seen_types.find(type)) return other;  // another thread was faster
  auto entry = std::make_unique<type_entry>();
  entry->handle = type;
  if (!ask_bounds(*entry)) return nullptr;
  const bool predefined = predefined_combiner(combiner_of(type));
  try {
    decode(*entry);
  } catch (const error&) {
    // The entry stays unknown, which is the failure.
  }
  if (!predefined && !watch(type)) return nullptr;
  return seen_types.insert(std::move(entry));
} catch (const std::exception&) {
  return nullptr;
}

void close_types() noexcept {
  const std::lock_guard guard(decoding);
  if (keyval != MPI_KEYVAL_INVALID) PMPI_Type_free_keyval(&keyval);
  seen_types.clear();
}

}  // namespace oriel::mpi
