// The typemap of any datatype, from how it was made.
#pragma once

#include <mpi.h>

#include "mpi/type_contents.hpp"
#include "oriel/datatype.hpp"

namespace oriel::mpi {

// The primitives of `type` and where they lie, with the bounds that MPI reports for it. Throws
// errc::type for handles that MPI refuses and for constructors it does not name, and errc::count
// for layouts that are too large.
datatype elements_of(MPI_Datatype type);

// The arrays of MPI-4.1 §5.1.3 and §5.1.4, of elements `old`: the block that
// MPI_Type_create_subarray names, and the blocks that MPI_Type_create_darray deals to a rank.
datatype subarray_of(type_contents&, const datatype& old);
datatype darray_of(type_contents&, const datatype& old);

}  // namespace oriel::mpi
