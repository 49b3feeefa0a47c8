#!/bin/bash
# bash tail
# a file that is followed while it grows
folder=$(mktemp -d) && cd "$folder" || exit
echo first >log
tail -f log &
sleep 1
echo second >>log
sleep 1
echo third >>log
sleep 1
kill $!
wait $! 2>/dev/null
rm -r "$folder"
echo "status $?"
