#!/bin/bash
# seq tr wc grep cat sleep
# shellcheck disable=SC2018,SC2019,SC2034,SC2046,SC2093,SC1083,SC2116
x=$(seq 1 10 | tr '\n' ' ')
echo "$x" $(echo inner $(echo most)) $(seq 1 500 | wc -l | tr -d ' ')
for f in a b c; do (
	sleep 0.1
	echo "in the background" >/dev/null
) & done
wait
echo "none left: $?"
false | true | grep nothing
echo "${PIPESTATUS[@]}"
cat <(echo one) <(echo two)
coproc cat
echo through >&"${COPROC[1]}"
read -r line <&"${COPROC[0]}"
echo "$line"
exec {COPROC[1]}>&-
wait
trap 'echo on TERM' TERM
kill -TERM $$
(kill -KILL $BASHPID)
echo "killed: $?"
(exit 7)
echo "exit: $?"
no_such_program 2>/dev/null
echo "nothing: $?"
cat <<end | tr a-z A-Z
here
end
