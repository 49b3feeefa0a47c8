program total
  integer :: i
  real(8) :: s = 0
  do i = 1, 100
    s = s + 1d0 / i
  end do
  print *, s
end program
