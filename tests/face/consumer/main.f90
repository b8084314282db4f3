program consumer
  use oriel
  implicit none
  type(c_ptr) :: session, world
  integer(c_int) :: ranks
  call must(oriel_session_open(c_null_ptr, session))
  call must(oriel_session_world(session, world))
  call must(oriel_team_size(world, ranks))
  call must(oriel_team_free(world))
  call must(oriel_session_close(session))
  if (ranks /= 2) error stop 1
end program
