#!/bin/sh
# shellcheck disable=SC2045,SC2035,SC2086 # what a script of a user may look like
for f in $(ls *.c); do
	echo $f
done
