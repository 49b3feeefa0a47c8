# Text processing as in mail and log tools: split, match, substitute, count in hashes, sort, format (perlbmk).
use strict;
use warnings;

my (%count, %first, %pairs, @lines);
my ($words, $matched, $vowels) = (0, 0, 0);
while (my $line = <STDIN>) {
	chomp $line;
	push @lines, $line;
	my $previous = '';
	for my $word (split /[^A-Za-z]+/, $line) {
		next if $word eq '';
		$word = lc $word;
		$words++;
		$count{$word}++;
		$first{$word} //= $.;
		$pairs{"$previous $word"}++ if $previous ne '';
		$previous = $word;
	}
	$matched++ if $line =~ /\b(\w+)(tion|ly)\b.*\b\1/i;
	(my $marked = $line) =~ s/([aeiou]{2,})/<$1>/g;
	$vowels += ($marked =~ tr/<//);
}
my @top = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
my @often = sort { $pairs{$b} <=> $pairs{$a} || $a cmp $b } keys %pairs;
printf "%d lines, %d words, %d different, %d pairs\n", scalar @lines, $words, scalar @top, scalar @often;
printf "%d lines matched, %d vowel groups\n", $matched, $vowels;
printf "%-16s %6d first on line %d\n", $_, $count{$_}, $first{$_} for @top[0 .. 19];
printf "%-24s %6d\n", $_, $pairs{$_} for @often[0 .. 19];
my $longest = (sort { length $b <=> length $a || $a cmp $b } @top)[0];
print "longest: $longest\n";
