#!/bin/bash
# seq xargs sort find
seq 1 40 | xargs -P 4 -n 3 echo | sort
mkdir -p /tmp/tree/a/b && cd /tmp/tree && touch a/1 a/b/2
find . -type f -exec echo found {} \; | sort
rm -r /tmp/tree
