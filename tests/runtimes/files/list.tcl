foreach x [lsort -integer {3 1 2}] {puts [expr {$x ** 2}]}
puts [string map {a b} banana]
after 10 {set done 1}
vwait done
puts [clock format 0 -gmt 1]
puts stderr later
exit 2
