// oriel in C: everything of oriel.hpp but the kernels' views, for C99 and for languages that call C
// (docs/C.md shows Fortran). The contracts of the C++ headers hold here too; these
// headers repeat the shapes, units, codes and completion that a caller needs.
//
// Conventions, the same for every function:
//   Codes    Each returns an `oriel_errc` as int, ORIEL_SUCCESS being 0; the codes are those of
//            oriel::errc. The exceptions are the functions of c/constants.h that return names, and
//            oriel_last_error. Functions that make a handle return ORIEL_ERR_NO_MEM where the
//            process has no memory left.
//   Outputs  are the last arguments, written only on success. Requires: none is null, but those
//            whose comment allows it.
//   Handles  are pointers to opaque structs. The caller frees each handle that an output gave it,
//            with the function of its header; freeing a null handle does nothing. Requires: a
//            handle that is neither null nor freed, wherever one is taken.
//   Texts    of the caller are null-terminated. Texts of oriel are copied to `text`, a buffer of
//            `capacity` bytes, as much as fits with a terminating null. `length`, which may be
//            null, receives the whole length without the null; with capacity 0 it is all that is
//            written.
//   Arrays   of oriel are copied to the caller's `capacity` elements, as many as fit; `number`
//            receives how many there are.
//   Options  are structs that begin with `struct_size`, sizeof the struct as the caller compiled
//   it,
//            so that later versions can add members. 0 in a member means the default, and so does a
//            null pointer to the struct. ORIEL_ERR_ARG for a struct_size that is not valid.
//   Failures leave their explanation in oriel_last_error().
#pragma once

#include "oriel/c/constants.h"
#include "oriel/c/datatype.h"
#include "oriel/c/info.h"
#include "oriel/c/list_operations.h"
#include "oriel/c/notifications.h"
#include "oriel/c/operations.h"
#include "oriel/c/request.h"
#include "oriel/c/session.h"
#include "oriel/c/statistics.h"
#include "oriel/c/stream_operations.h"
#include "oriel/c/synchronization.h"
#include "oriel/c/team.h"
#include "oriel/c/window.h"
