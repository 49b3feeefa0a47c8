#!/bin/bash
# zsh
zsh -f -c 'a=(c b a); print -l ${(o)a}; print ${(U)a[1]}; for i in {1..3}; do echo $i; done | sort -r | head -1; print $(( 7 ** 3 ))'
