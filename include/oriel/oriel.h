// oriel in C: everything of oriel.hpp but the kernels' views, for C99 and whatever can call C
// (docs/C.md shows Fortran and Python). The text of each C++ header holds here too; these headers
// repeat the shapes, units, errors and completion that a caller needs.
//
// Conventions, the same for every function:
//   Codes    Each returns an `oriel_errc` as int, ORIEL_SUCCESS being 0; the codes are those of
//            oriel::errc. The exceptions are the functions of c/constants.h that give names, and
//            oriel_last_error.
//   Outputs  come last and are written only on success. None may be null unless that is said.
//   Handles  are pointers to opaque structs. Who is given one through an output frees it, with the
//            function of its header; freeing a null handle does nothing. A null or freed handle
//            where one is needed is an error of the program that is not looked for.
//   Texts    of the caller's are null-terminated. A text that oriel gives goes to `text`, a buffer
//            of `capacity` bytes, as much of it as fits with a terminating null; `length`, which
//            may be null, tells its whole length without the null. Ask with capacity 0 (and any
//            `text`) for the length alone.
//   Arrays   that oriel gives go to the caller's `capacity` elements, as many as fit; `number`
//            tells how many there are.
//   Options  are structs that begin with `struct_size`, sizeof the struct as the caller knows it,
//            so that later versions can add to them; 0 everywhere else means the default, and so
//            does a null pointer to one.
//   Failures leave their explanation in oriel_last_error(). For operations and synchronization it
//   is
//            that of the window's first failure, which oriel_window_failure() keeps.
#pragma once

#include "oriel/c/constants.h"
#include "oriel/c/datatype.h"
#include "oriel/c/info.h"
#include "oriel/c/operations.h"
#include "oriel/c/request.h"
#include "oriel/c/session.h"
#include "oriel/c/synchronization.h"
#include "oriel/c/team.h"
#include "oriel/c/window.h"
