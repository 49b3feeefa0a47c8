#!/bin/bash
# gcc
mkdir -p /tmp/gcc && cd /tmp/gcc || exit
printf '#include <stdio.h>\nint main(int n, char **v) { printf("hello %%d\\n", n); return 7; }\n' >h.c
printf 'h: h.o\n\tgcc -o $@ $<\nh.o: h.c\n\tgcc -O1 -c $<\n' >Makefile
make -s -j2 && ./h 1 2
echo "status $?"
cd / && rm -r /tmp/gcc
