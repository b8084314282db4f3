! Collective subroutines, and transfers in between them.
program collectives
  implicit none
  integer :: me, images, i, whole(5), single, moved[*]
  real(8) :: reals(3)
  character(len=8) :: word

  me = this_image()
  images = num_images()
  moved = 0
  sync all

  do i = 1, 10
    whole = [1, 2, 3, 4, 5] * me
    call co_sum(whole)
    call expect(all(whole == [1, 2, 3, 4, 5] * (images * (images + 1) / 2)), 'co_sum')
    moved[merge(1, me + 1, me == images)] = i
    sync all
    call expect(moved == i, 'a put between collectives')
    sync all
  end do

  single = me
  call co_sum(single, result_image=images)
  if (me == images) call expect(single == images * (images + 1) / 2, 'co_sum to one image')

  reals = [1d0, -1d0, 0.5d0] * me
  call co_max(reals)
  call expect(all(reals == [1d0 * images, -1d0, 0.5d0 * images]), 'co_max')
  single = 7 - me
  call co_min(single)
  call expect(single == 7 - images, 'co_min')

  word = 'nothing'
  if (me == images) word = 'heard'
  call co_broadcast(word, source_image=images)
  call expect(word == 'heard', 'co_broadcast')
  single = me + 1
  call co_reduce(single, times)
  value: block
    integer :: product, k
    product = 1
    do k = 1, images
      product = product * (k + 1)
    end do
    call expect(single == product, 'co_reduce')
  end block value
  sync all
  if (me == 1) print '("collectives: right on ", i0, " images")', images
contains
  pure function times(a, b) result(product)
    integer, intent(in) :: a, b
    integer :: product
    product = a * b
  end function
  include 'expect.inc'
end program
