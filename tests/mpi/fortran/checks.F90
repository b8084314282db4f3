#include "bindings.h"
! What the tests share: this process's place in the job, and the count of what was wrong.
module checks
  USE_MPI
  implicit none
  INCLUDE_MPI
  integer, parameter :: aint = MPI_ADDRESS_KIND
  integer :: me = -1, ranks = 0, next = -1, before = -1
  integer, private :: wrong = 0

contains

  subroutine begin()
    integer :: ierr
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
    next = mod(me + 1, ranks)
    before = mod(me - 1 + ranks, ranks)
  end subroutine

  subroutine expect(right, what)
    logical, intent(in) :: right
    character(*), intent(in) :: what
    if (right) return
    wrong = wrong + 1
    print '(a, i0, 2a)', 'rank ', me, ': wrong: ', what
  end subroutine

  subroutine finish(title)
    character(*), intent(in) :: title
    integer :: all_wrong, ierr
    call MPI_Allreduce(wrong, all_wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    if (me == 0 .and. all_wrong == 0) print '(2a, i0, a)', title, ': right on ', ranks, ' ranks'
    call MPI_Finalize(ierr)
    if (all_wrong /= 0) stop 1
  end subroutine
end module
