#!/bin/bash
# perl seq
perl -e '
	$| = 1;
	my $p = fork; if (!$p) { print "child\n"; exit 3 }
	waitpid $p, 0; print "status ", $? >> 8, "\n";
	print `echo back`;
	open my $f, "-|", "seq 3"; print <$f>; close $f;
	open $f, "|-", "tr a-z A-Z" or die; print $f "upper\n"; close $f;
	system "sh", "-c", "exit 4"; print $? >> 8, "\n";
	$SIG{CHLD} = sub { print "reaped ", wait > 0, "\n" }; $p = fork; if (!$p) { exit 0 } sleep 1;'
