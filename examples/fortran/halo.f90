! Heat spreads along a ring of cells that all ranks share: a step needs each rank's border cells at
! its neighbours, which put them there between two fences. Heat is neither lost nor made, and in the
! end every cell is as warm as the others.
program halo
  use oriel
  implicit none

  integer, parameter :: cells = 4
  real(c_double), parameter :: rate = 0.25_c_double, given = 100.0_c_double
  type(c_ptr) :: session, world, element, window, memory
  integer(c_int) :: me, ranks, left, right
  integer(c_size_t) :: count
  integer :: step
  logical :: right_answer
  ! Cells 1 to `cells`, with a copy of each neighbour's border at 0 and `cells` + 1.
  real(c_double), pointer :: heat(:)
  real(c_double), target :: borders(2), excess, largest

  call must(oriel_session_open(c_null_ptr, session))
  call must(oriel_session_world(session, world))
  call must(oriel_team_rank(world, me))
  call must(oriel_team_size(world, ranks))
  left = modulo(me - 1, ranks)
  right = modulo(me + 1, ranks)

  call must(oriel_datatype_of(oriel_float64, element))
  call must(oriel_window_allocate(world, int(cells + 2, c_size_t), element, &
            oriel_assert_fence + oriel_assert_local_load_store, c_null_ptr, window))
  call must(oriel_window_local(window, memory, count))
  call c_f_pointer(memory, heat, [count])
  heat(0:) => heat
  if (me == 0) heat(1) = given * cells * ranks

  call must(oriel_window_fence(window, oriel_mode_none))
  ! The unevenness that fades last shrinks by e^39 in these steps, whatever the length of the ring.
  do step = 1, 4 * (cells * ranks)**2
    borders = [heat(1), heat(cells)]
    call must(oriel_window_put(window, left, int(cells + 1, c_int64_t), c_loc(borders(1)), &
              1_c_size_t))
    call must(oriel_window_put(window, right, 0_c_int64_t, c_loc(borders(2)), 1_c_size_t))
    call must(oriel_window_fence(window, oriel_mode_none))
    heat(1:cells) = heat(1:cells) &
                    + rate * (heat(0:cells - 1) - 2 * heat(1:cells) + heat(2:cells + 1))
    call must(oriel_window_fence(window, oriel_mode_none))
  end do

  excess = maxval(abs(heat(1:cells) - given))
  call must(oriel_team_allreduce(world, oriel_op_max, oriel_float64, c_loc(excess), &
            c_loc(largest)))
  right_answer = largest < 1.0e-6_c_double
  if (me == 0) print '(a, i0, a, es9.2)', 'heat over ', ranks, ' ranks differs by ', largest

  call must(oriel_window_free(window))
  call must(oriel_datatype_free(element))
  call must(oriel_team_free(world))
  call must(oriel_session_close(session))
  if (.not. right_answer) error stop 2
end program halo
