use strict; use warnings; use List::Util qw(sum max); use Data::Dumper; use POSIX qw(floor strftime);
my %h = map { $_ => length } qw(one three five);
print join(",", map { "$_=$h{$_}" } sort keys %h), " ", sum(1..10), " ", max(3, 9, 2), " ", floor(-1.5), "\n";
print strftime("%Y-%m-%d", gmtime(0)), " ", sprintf("%.3e", 12345.678), "\n";
(my $t = "hello world") =~ s/(\w+)/\u$1/g; print "$t\n";
$Data::Dumper::Sortkeys = 1; print Dumper(\%h);
print STDERR "an error\n"; exit 8;
