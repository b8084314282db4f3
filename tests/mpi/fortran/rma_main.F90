#include "bindings.h"
program rma_main
  use active, only: test_fence, test_groups
  use checks, only: begin, finish
  use errors, only: test_errors
  use passive, only: test_atomics, test_locks, test_requests
  use types, only: test_derived_types, test_fortran_types, test_pairs
  use windows, only: test_allocated, test_attributes, test_dynamic, test_hints, test_shared
  implicit none

  call begin()
  call test_fence()
  call test_groups()
  call test_locks()
  call test_atomics()
  call test_requests()
  call test_fortran_types()
  call test_pairs()
  call test_derived_types()
  call test_attributes()
  call test_hints()
  call test_dynamic()
  call test_shared()
  call test_allocated()
  call test_errors()
  call finish(BINDING)
end program
