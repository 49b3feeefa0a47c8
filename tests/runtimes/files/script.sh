#!/bin/sh
for f in $(ls *.c); do
	echo $f
done
