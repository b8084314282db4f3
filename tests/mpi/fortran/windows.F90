#include "bindings.h"
! What a window is asked: attributes, info, names; shared and dynamic windows; allocated memory.
module windows
  USE_MPI
  use checks, only: aint, before, expect, me, next
  use, intrinsic :: iso_c_binding, only: c_f_pointer, c_loc, c_associated, c_ptr
  implicit none
  INCLUDE_MPI
  private
  public :: test_attributes, test_hints, test_dynamic, test_shared, test_allocated

contains

  subroutine expect_attribute(win, key, value, what)
    WINDOW, intent(in) :: win
    integer, intent(in) :: key
    integer(aint), intent(in) :: value
    character(*), intent(in) :: what
    integer(aint) :: found
    integer :: ierr
    logical :: is_there

    found = -1
    is_there = .false.
    call MPI_Win_get_attr(win, key, found, is_there, ierr)
    call expect(ierr == MPI_SUCCESS .and. is_there .and. found == value, what)
  end subroutine

  ! MPI's own, and one of the program's.
  subroutine test_attributes()
    integer, asynchronous, target :: memory(10)
    integer :: key, ierr
    integer(aint) :: found
    logical :: is_there
    type(c_ptr) :: base
    WINDOW :: win

    call MPI_Win_create(memory, 40_aint, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call expect_attribute(win, MPI_WIN_BASE, transfer(c_loc(memory), 0_aint), 'base of create')
    call expect_attribute(win, MPI_WIN_SIZE, 40_aint, 'size')
    call expect_attribute(win, MPI_WIN_DISP_UNIT, 4_aint, 'displacement unit')
    call expect_attribute(win, MPI_WIN_CREATE_FLAVOR, int(MPI_WIN_FLAVOR_CREATE, aint), 'flavor')
    call expect_attribute(win, MPI_WIN_MODEL, int(MPI_WIN_UNIFIED, aint), 'model')
    call MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, MPI_WIN_NULL_DELETE_FN, key, 0_aint, ierr)
    call MPI_Win_get_attr(win, key, found, is_there, ierr)
    call expect(.not. is_there, 'an attribute that nobody has set')
    call MPI_Win_set_attr(win, key, 4711_aint, ierr)
    call expect_attribute(win, key, 4711_aint, 'an attribute of the program')
#if defined(BY_MPI_F08)
    call MPI_Win_get_attr(win, MPI_WIN_SIZE, found, is_there)
    call expect(is_there .and. found == 40, 'without an ierror')
#endif
    call MPI_Win_delete_attr(win, key, ierr)
    call MPI_Win_free_keyval(key, ierr)
    call MPI_Win_free(win, ierr)

    call MPI_Win_allocate(800_aint, 8, MPI_INFO_NULL, MPI_COMM_WORLD, base, win, ierr)
    call expect_attribute(win, MPI_WIN_BASE, transfer(base, 0_aint), 'base of allocate')
    call expect_attribute(win, MPI_WIN_SIZE, 800_aint, 'size of allocate')
    call expect_attribute(win, MPI_WIN_CREATE_FLAVOR, int(MPI_WIN_FLAVOR_ALLOCATE, aint), &
                          'flavor of allocate')
    call MPI_Win_free(win, ierr)
  end subroutine

  subroutine test_hints()
    character(MPI_MAX_OBJECT_NAME) :: name
    character(MPI_MAX_INFO_VAL) :: value
    INFO :: given, used
    WINDOW :: win
    type(c_ptr) :: base
    integer :: length, ierr
    logical :: is_there

    call MPI_Info_create(given, ierr)
    call MPI_Info_set(given, 'accumulate_ordering', 'none', ierr)
    call MPI_Win_allocate(8_aint, 1, given, MPI_COMM_WORLD, base, win, ierr)
    call MPI_Win_get_info(win, used, ierr)
    call MPI_Info_get(used, 'accumulate_ordering', MPI_MAX_INFO_VAL, value, is_there, ierr)
    call expect(is_there .and. value == 'none', 'a hint in force')
    call MPI_Info_free(used, ierr)
    call MPI_Info_set(given, 'same_size', 'true', ierr)
    call MPI_Win_set_info(win, given, ierr)
    call MPI_Win_get_info(win, used, ierr)
    call MPI_Info_get(used, 'same_size', MPI_MAX_INFO_VAL, value, is_there, ierr)
    call expect(is_there .and. value == 'true', 'a hint set later')
    call MPI_Info_free(used, ierr)
    call MPI_Info_free(given, ierr)
    call MPI_Win_set_name(win, 'halo', ierr)
    call MPI_Win_get_name(win, name, length, ierr)
    ! Of a name, Open MPI 4.1's mpi_f08 gives back the length and the first character.
    call expect(length == 4 .and. name(1:1) == 'h', 'a name')
    call MPI_Win_free(win, ierr)
  end subroutine

  subroutine test_dynamic()
    integer, asynchronous, allocatable, target :: memory(:)
    integer, asynchronous :: mine
    integer(aint) :: here, there
    integer :: ierr
    WINDOW :: win

    allocate (memory(100))
    memory = -1
    call MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call expect_attribute(win, MPI_WIN_BASE, 0_aint, 'base of a dynamic window')
    call expect_attribute(win, MPI_WIN_SIZE, 0_aint, 'size of a dynamic window')
    call MPI_Win_attach(win, memory, 400_aint, ierr)
    call expect(ierr == MPI_SUCCESS, 'attach')
    call MPI_Get_address(memory(51), here, ierr)
    call MPI_Sendrecv(here, 1, MPI_AINT, before, 1, there, 1, MPI_AINT, next, 1, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    mine = me
    call MPI_Win_lock(MPI_LOCK_SHARED, next, 0, win, ierr)
    call MPI_Put(mine, 1, MPI_INTEGER, next, there, 1, MPI_INTEGER, win, ierr)
    call MPI_Put(mine, 1, MPI_INTEGER, next, there + 4, 1, MPI_INTEGER, win, ierr)
    call MPI_Win_unlock(next, win, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_Win_lock(MPI_LOCK_SHARED, me, 0, win, ierr)
    call expect(all(memory(50:53) == [-1, before, before, -1]), 'put to attached memory')
    call MPI_Win_unlock(me, win, ierr)
    call MPI_Win_detach(win, memory, ierr)
    call expect(ierr == MPI_SUCCESS, 'detach')
    call MPI_Win_free(win, ierr)
  end subroutine

  subroutine test_shared()
    COMMUNICATOR :: node
    WINDOW :: win
    type(c_ptr) :: base, theirs
    real, pointer, asynchronous :: mine(:), stored(:)
    integer :: neighbour, members, unit, rank, ierr
    integer(aint) :: bytes

    call MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, node, ierr)
    call MPI_Comm_rank(node, rank, ierr)
    call MPI_Comm_size(node, members, ierr)
    neighbour = mod(rank + 1, members)
    call MPI_Win_allocate_shared(int(4 * (rank + 1), aint), 4, MPI_INFO_NULL, node, base, win, ierr)
    call expect(ierr == MPI_SUCCESS, 'allocate_shared')
    call expect_attribute(win, MPI_WIN_CREATE_FLAVOR, int(MPI_WIN_FLAVOR_SHARED, aint), &
                          'flavor of allocate_shared')
    call c_f_pointer(base, mine, [rank + 1])
    call MPI_Win_shared_query(win, neighbour, bytes, unit, theirs, ierr)
    call expect(bytes == 4 * (neighbour + 1) .and. unit == 4, 'what shared_query tells')
    call c_f_pointer(theirs, stored, [neighbour + 1])
    call MPI_Win_fence(0, win, ierr)
    mine = rank + 0.5
    call MPI_Win_fence(0, win, ierr)
    call expect(all(stored == neighbour + 0.5), 'what the neighbour has stored')
    call MPI_Win_shared_query(win, MPI_PROC_NULL, bytes, unit, theirs, ierr)
    call expect(bytes == 4, 'shared_query of nobody tells of the lowest rank')
    call MPI_Win_fence(0, win, ierr)
    call MPI_Win_free(win, ierr)
    call MPI_Comm_free(node, ierr)
  end subroutine

  ! The memory of allocate windows and of MPI_Alloc_mem can be queried too.
  subroutine test_allocated()
    WINDOW :: win
    type(c_ptr) :: base, found
    integer, pointer, asynchronous :: memory(:)
    integer :: unit, ierr
    integer(aint) :: bytes

    call MPI_Alloc_mem(400_aint, MPI_INFO_NULL, base, ierr)
    call c_f_pointer(base, memory, [100])
    memory = me
    call MPI_Win_create(memory, 400_aint, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
    call expect_attribute(win, MPI_WIN_BASE, transfer(base, 0_aint), 'base of allocated memory')
    call MPI_Win_shared_query(win, me, bytes, unit, found, ierr)
    call expect(bytes == 400 .and. c_associated(found), 'shared_query of allocated memory')
    call MPI_Win_free(win, ierr)
    call MPI_Free_mem(memory, ierr)
    call expect(ierr == MPI_SUCCESS, 'free_mem')
  end subroutine
end module
