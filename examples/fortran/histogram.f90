! A histogram over all ranks: each counts its numbers in the owners' bins by one list, and notifies
! every owner of how many it has counted there. Owners take the notifications in the order in which
! they come.
program histogram
  use oriel
  implicit none

  integer, parameter :: numbers = 5000, bins = 64  ! a rank
  integer(c_int64_t), parameter :: one_hour = 3600000, never = huge(never)
  type(c_ptr) :: session, world, element, window, memory
  integer(c_int) :: me, ranks, r
  integer(c_int32_t) :: amount
  integer(c_size_t) :: elements, from
  integer(c_int64_t) :: came
  integer :: j
  logical :: right_answer
  type(oriel_window_options), target :: options
  integer(c_int), allocatable :: owners(:)
  integer(c_int64_t), allocatable :: disps(:), awaited(:)
  integer(c_int64_t), allocatable, target :: ones(:), found(:)
  integer(c_int64_t), pointer :: mine(:)
  integer(c_int64_t), target :: counted, total, first

  call must(oriel_session_open(c_null_ptr, session))
  call must(oriel_session_world(session, world))
  call must(oriel_team_rank(world, me))
  call must(oriel_team_size(world, ranks))

  ! A counter for each rank that notifies.
  options%struct_size = c_sizeof(options)
  options%notify_counters = int(ranks, c_size_t)
  options%aggregate = 1
  call must(oriel_datatype_of(oriel_int64, element))
  call must(oriel_window_allocate(world, int(bins, c_size_t), element, &
            oriel_assert_shared_lock + oriel_assert_local_load_store + oriel_assert_notify &
            + oriel_assert_ordered_notify, c_loc(options), window))
  call must(oriel_window_local(window, memory, elements))
  call c_f_pointer(memory, mine, [elements])
  call must(oriel_window_lock_all(window, oriel_mode_none))

  ! Number j of this rank, in place of data: bin modulo(…, bins) of rank modulo(j * j + me, ranks).
  allocate (owners(numbers), disps(numbers), ones(numbers), awaited(ranks), found(ranks))
  owners = [(modulo(j * j + me, ranks), j = 1, numbers)]
  disps = [(int(modulo(7 * j + me, bins), c_int64_t), j = 1, numbers)]
  ones = 1
  call must(oriel_window_accumulate_list(window, oriel_op_sum, int(numbers, c_size_t), owners, &
            disps, c_loc(ones)))
  do r = 0, ranks - 1
    amount = 1 + int(count(owners == r), c_int32_t)
    call must(oriel_window_notify(window, r, int(me, c_size_t), amount))
  end do

  counted = 0
  awaited = 1
  do j = 1, ranks
    call must(oriel_window_wait_notify_any_for(window, 0_c_size_t, int(ranks, c_size_t), awaited, &
              one_hour, from))
    call must(oriel_window_take_notified(window, from, came))
    counted = counted + came - 1
    awaited(from + 1) = never
  end do
  right_answer = sum(mine) == counted
  call must(oriel_team_allreduce(world, oriel_op_sum, oriel_int64, c_loc(counted), c_loc(total)))
  right_answer = right_answer .and. total == int(numbers, c_int64_t) * ranks

  ! Every rank's first bin: by a list, and that of rank 0 once more by itself.
  owners(1:ranks) = [(r, r = 0, ranks - 1)]
  disps(1:ranks) = 0
  call must(oriel_window_gather(window, int(ranks, c_size_t), owners, disps, c_loc(found)))
  call must(oriel_window_get_nbi(window, 0_c_int, 0_c_int64_t, c_loc(first)))
  call must(oriel_window_flush_local_all(window))
  right_answer = right_answer .and. found(1) == first .and. found(me + 1) == mine(1)
  if (me == 0) print '(i0, a, i0, a)', total, ' numbers in the bins of ', ranks, ' ranks'

  call must(oriel_window_unlock_all(window))
  call must(oriel_team_barrier(world))
  call must(oriel_window_free(window))
  call must(oriel_datatype_free(element))
  call must(oriel_team_free(world))
  call must(oriel_session_close(session))
  if (.not. right_answer) error stop 2
end program histogram
