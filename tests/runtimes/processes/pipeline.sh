#!/bin/bash
# seq sort uniq head
seq 1 1000 | sort -rn | uniq -c | head
