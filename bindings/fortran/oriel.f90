! What the programs of examples/fortran use of oriel.h, with all lists, nonblocking forms and
! notifications, for Fortran 2008. A C handle is a type(c_ptr); C's size_t is
! integer(c_size_t), int64_t integer(c_int64_t), ptrdiff_t integer(c_intptr_t); what a function gives
! back comes as an argument without VALUE. docs/C.md describes how to add further functions.
module oriel
  use, intrinsic :: iso_c_binding
  implicit none

  ! oriel_success, oriel_err_…, oriel_assert_…, oriel_op_…, oriel_float64, oriel_mode_…, oriel_lock_….
  include 'oriel_constants.inc'
  integer(c_int), parameter :: oriel_mode_none = 0

  ! struct_size is c_sizeof of the options; 0 and c_null_ptr are the defaults.
  type, bind(c) :: oriel_window_options
    integer(c_size_t) :: struct_size = 0
    type(c_ptr) :: name = c_null_ptr, hints = c_null_ptr, memory_kind = c_null_ptr
    integer(c_int) :: ops = 0
    integer(c_size_t) :: notify_counters = 0
    integer(c_int) :: aggregate = 0, asynchronous_progress = 0
  end type

  interface
    ! A null `options` for the defaults.
    integer(c_int) function oriel_session_open(options, session) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: options
      type(c_ptr), intent(out) :: session
    end function
    integer(c_int) function oriel_session_close(session) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: session
    end function
    integer(c_int) function oriel_session_world(session, team) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: session
      type(c_ptr), intent(out) :: team
    end function

    integer(c_int) function oriel_team_free(team) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
    end function
    integer(c_int) function oriel_team_rank(team, rank) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), intent(out) :: rank
    end function
    integer(c_int) function oriel_team_size(team, ranks) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), intent(out) :: ranks
    end function
    integer(c_int) function oriel_team_barrier(team) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
    end function
    integer(c_int) function oriel_team_allreduce(team, op, primitive, mine, result) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: team
      integer(c_int), value :: op, primitive
      type(c_ptr), value :: mine, result
    end function

    integer(c_int) function oriel_datatype_of(primitive, type) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: primitive
      type(c_ptr), intent(out) :: type
    end function
    integer(c_int) function oriel_datatype_free(type) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: type
    end function

    integer(c_int) function oriel_window_allocate(team, count, base, assertions, options, window) &
        bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: team, base, options
      integer(c_size_t), value :: count
      integer(c_int), value :: assertions
      type(c_ptr), intent(out) :: window
    end function
    integer(c_int) function oriel_window_free(window) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: window
    end function
    integer(c_int) function oriel_window_local(window, base, count) bind(c)
      import :: c_int, c_ptr, c_size_t
      type(c_ptr), value :: window
      type(c_ptr), intent(out) :: base
      integer(c_size_t), intent(out) :: count
    end function
    integer(c_int) function oriel_window_put(window, rank, disp, values, n) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_int), value :: rank
      integer(c_int64_t), value :: disp
      type(c_ptr), value :: values
      integer(c_size_t), value :: n
    end function
    integer(c_int) function oriel_window_fence(window, mode) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: window
      integer(c_int), value :: mode
    end function

    integer(c_int) function oriel_window_lock_all(window, mode) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: window
      integer(c_int), value :: mode
    end function
    integer(c_int) function oriel_window_unlock_all(window) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: window
    end function
    integer(c_int) function oriel_window_flush_all(window) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: window
    end function
    integer(c_int) function oriel_window_flush_local_all(window) bind(c)
      import :: c_int, c_ptr
      type(c_ptr), value :: window
    end function

    ! Lists: the ranks and displacements are arrays.
    integer(c_int) function oriel_window_scatter(window, n, ranks, disps, values) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: n
      integer(c_int), intent(in) :: ranks(*)
      integer(c_int64_t), intent(in) :: disps(*)
      type(c_ptr), value :: values
    end function
    integer(c_int) function oriel_window_gather(window, n, ranks, disps, results) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: n
      integer(c_int), intent(in) :: ranks(*)
      integer(c_int64_t), intent(in) :: disps(*)
      type(c_ptr), value :: results
    end function
    integer(c_int) function oriel_window_accumulate_list(window, op, n, ranks, disps, operands) &
        bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_int), value :: op
      integer(c_size_t), value :: n
      integer(c_int), intent(in) :: ranks(*)
      integer(c_int64_t), intent(in) :: disps(*)
      type(c_ptr), value :: operands
    end function
    integer(c_int) function oriel_window_fetch_op_list(window, op, n, ranks, disps, &
        operands, results) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_int), value :: op
      integer(c_size_t), value :: n
      integer(c_int), intent(in) :: ranks(*)
      integer(c_int64_t), intent(in) :: disps(*)
      type(c_ptr), value :: operands, results
    end function
    integer(c_int) function oriel_window_compare_swap_list(window, n, ranks, disps, &
        expected, desired, results) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: n
      integer(c_int), intent(in) :: ranks(*)
      integer(c_int64_t), intent(in) :: disps(*)
      type(c_ptr), value :: expected, desired, results
    end function
    ! Deferred: results must have `target`, and may be read after a local flush.
    integer(c_int) function oriel_window_get_nbi(window, rank, disp, result) bind(c)
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: window
      integer(c_int), value :: rank
      integer(c_int64_t), value :: disp
      type(c_ptr), value :: result
    end function
    integer(c_int) function oriel_window_fetch_op_nbi(window, op, rank, disp, operand, result) bind(c)
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: window
      integer(c_int), value :: op, rank
      integer(c_int64_t), value :: disp
      type(c_ptr), value :: operand, result
    end function
    integer(c_int) function oriel_window_compare_swap_nbi(window, rank, disp, expected, desired, result) &
        bind(c)
      import :: c_int, c_ptr, c_int64_t
      type(c_ptr), value :: window
      integer(c_int), value :: rank
      integer(c_int64_t), value :: disp
      type(c_ptr), value :: expected, desired, result
    end function

    ! Notifications. Fortran has no unsigned numbers: a count of 2**63 and more is negative.
    integer(c_int) function oriel_window_put_notify(window, rank, disp, values, n, counter, amount) &
        bind(c)
      import :: c_int, c_ptr, c_int32_t, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_int), value :: rank
      integer(c_int64_t), value :: disp
      type(c_ptr), value :: values
      integer(c_size_t), value :: n, counter
      integer(c_int32_t), value :: amount
    end function
    integer(c_int) function oriel_window_notify(window, rank, counter, amount) bind(c)
      import :: c_int, c_ptr, c_int32_t, c_size_t
      type(c_ptr), value :: window
      integer(c_int), value :: rank
      integer(c_size_t), value :: counter
      integer(c_int32_t), value :: amount
    end function
    integer(c_int) function oriel_window_wait_notify(window, counter, at_least) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: counter
      integer(c_int64_t), value :: at_least
    end function
    integer(c_int) function oriel_window_wait_notify_for(window, counter, at_least, at_most) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: counter
      integer(c_int64_t), value :: at_least, at_most
    end function
    integer(c_int) function oriel_window_wait_notify_any(window, first, n, at_least, counter) &
        bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: first, n
      integer(c_int64_t), intent(in) :: at_least(*)
      integer(c_size_t), intent(out) :: counter
    end function
    integer(c_int) function oriel_window_wait_notify_any_for(window, first, n, at_least, at_most, &
        counter) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: first, n
      integer(c_int64_t), intent(in) :: at_least(*)
      integer(c_int64_t), value :: at_most
      integer(c_size_t), intent(out) :: counter
    end function
    integer(c_int) function oriel_window_notified(window, counter, count) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: counter
      integer(c_int64_t), intent(out) :: count
    end function
    integer(c_int) function oriel_window_take_notified(window, counter, count) bind(c)
      import :: c_int, c_ptr, c_int64_t, c_size_t
      type(c_ptr), value :: window
      integer(c_size_t), value :: counter
      integer(c_int64_t), intent(out) :: count
    end function

    type(c_ptr) function oriel_error_name(code) bind(c)
      import :: c_int, c_ptr
      integer(c_int), value :: code
    end function
    type(c_ptr) function oriel_last_error() bind(c)
      import :: c_ptr
    end function
  end interface

contains

  ! Ends the program, with oriel's words, when `code` is not success.
  subroutine must(code)
    integer(c_int), intent(in) :: code
    if (code == oriel_success) return
    print '(3a)', text_of(oriel_error_name(code)), ': ', text_of(oriel_last_error())
    error stop 1
  end subroutine

  ! A Fortran string of C's.
  function text_of(c_text) result(text)
    type(c_ptr), intent(in) :: c_text
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    interface
      integer(c_size_t) function strlen(s) bind(c)
        import :: c_ptr, c_size_t
        type(c_ptr), value :: s
      end function
    end interface
    integer :: i
    call c_f_pointer(c_text, letters, [strlen(c_text)])
    allocate (character(size(letters)) :: text)
    do i = 1, size(letters)
      text(i:i) = letters(i)
    end do
  end function

end module oriel
