#!/bin/bash
# make cat
mkdir -p /tmp/make && cd /tmp/make || exit
printf 'all: a b c\na b c:\n\techo making $@ > $@.out\n\tcat $@.out\nfails:\n\texit 3\n' >Makefile
make -s -j2 | LC_ALL=C sort
make -s fails 2>/dev/null
echo "status $?"
rm -r /tmp/make
