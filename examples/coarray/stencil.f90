! Heat in a plate, on coarrays: every image owns a band of rows, and puts its edge rows into its
! neighbours' halos before each step. The result is checked against the same steps done by one image.
!
!   caf stencil.f90 -o stencil && mpiexec -n 4 stencil
!
! With oriel preloaded (docs/MPI.md) the puts become stores into the neighbours' memory.
program stencil
  implicit none
  integer, parameter :: rows = 96, columns = 80, steps = 200
  real(8), parameter :: conductivity = 0.2d0
  real(8), allocatable :: band(:, :)[:]   ! columns x rows of this image, with a halo row at each end
  real(8), allocatable :: plate(:, :)     ! the whole plate, for the check
  integer :: me, images, first, last, mine, most, above, step
  real(8) :: difference

  me = this_image()
  images = num_images()
  first = rows * (me - 1) / images + 1
  last = rows * me / images
  mine = last - first + 1
  most = (rows + images - 1) / images
  if (images > rows) error stop 'stencil: more images than rows'

  allocate (plate(0:columns + 1, 0:rows + 1))
  allocate (band(0:columns + 1, 0:most + 1)[*])
  call heat(plate)
  band(:, 0:mine + 1) = plate(:, first - 1:last + 1)
  sync all

  do step = 1, steps
    if (me > 1) then
      above = rows * (me - 1) / images - rows * (me - 2) / images   ! rows of the image before this one
      band(:, above + 1)[me - 1] = band(:, 1)
    end if
    if (me < images) band(:, 0)[me + 1] = band(:, mine)
    call sync_neighbours()
    call advance(band(:, 0:mine + 1))
    call sync_neighbours()
  end do

  do step = 1, steps
    call advance(plate)
  end do
  difference = maxval(abs(band(:, 1:mine) - plate(:, first:last)))
  call co_max(difference)
  if (difference > 1d-12) error stop 'stencil: differs from the plate computed by one image'
  if (me == 1) print '("stencil: ", i0, " steps on ", i0, " images, equal to one image''s")', steps, images
contains

  ! A hot edge, a cold plate, and a warm spot in it.
  subroutine heat(whole)
    real(8), intent(out) :: whole(0:, 0:)
    whole = 0
    whole(:, 0) = 100
    whole(27:40, 48:57) = 50
  end subroutine

  ! One explicit step; the frame around the area stays.
  subroutine advance(area)
    real(8), intent(inout) :: area(0:, 0:)
    integer :: i, j
    i = ubound(area, 1) - 1
    j = ubound(area, 2) - 1
    area(1:i, 1:j) = area(1:i, 1:j) + conductivity * (area(0:i - 1, 1:j) + area(2:i + 1, 1:j) &
      + area(1:i, 0:j - 1) + area(1:i, 2:j + 1) - 4 * area(1:i, 1:j))
  end subroutine

  subroutine sync_neighbours()
    if (me > 1 .and. me < images) then
      sync images ([me - 1, me + 1])
    else if (me > 1) then
      sync images (me - 1)
    else if (images > 1) then
      sync images (me + 1)
    end if
  end subroutine
end program
