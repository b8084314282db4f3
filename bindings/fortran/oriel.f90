! What halo.f90 uses of oriel.h, for Fortran 2008. A C handle is a type(c_ptr); C's size_t is
! integer(c_size_t), int64_t integer(c_int64_t), ptrdiff_t integer(c_intptr_t); what a function gives
! back comes as an argument without VALUE. docs/C.md describes how to add further functions.
module oriel
  use, intrinsic :: iso_c_binding
  implicit none

  ! oriel_success, oriel_err_…, oriel_assert_…, oriel_op_…, oriel_float64, oriel_mode_…, oriel_lock_….
  include 'oriel_constants.inc'
  integer(c_int), parameter :: oriel_mode_none = 0

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
