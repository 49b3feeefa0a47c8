# Shared by the studies of truth and graph: run the twelve programs under `culprit truth`, one result file for
# each, and go on where an earlier run stopped. To be sourced, with $here = studies/ and $usage_lines = the comment to show.
# shellcheck shell=bash disable=SC2034 # the variables are the callers'

root=$here/..
export CULPRIT=${CULPRIT:-$root/build/release/culprit}
millions=100 machine='' programs=() options=()

# parse ARGUMENTS...: -n MILLIONS -m MACHINE -j JOBS -p PROGRAM (again for more); the rest is for culprit truth
parse() {
	while [ $# -gt 0 ]; do
		case $1 in
		-n) millions=${2:?} && shift ;;
		-m) machine=${2:?} && shift ;;
		-j) options+=(--jobs "${2:?}") && shift ;;
		-p) programs+=("${2:?}") && shift ;;
		*)
			sed -n "$usage_lines"'s/^# \{0,1\}//p' "$0" >&2
			exit 125
			;;
		esac
		shift
	done
	if [ ${#programs[@]} = 0 ]; then
		mapfile -t programs < <(awk -F '\t' '!/^#/ && $2 == "twelve" { print $1 }' "$root/workloads/table.tsv")
	fi
}

# stands_for PROGRAM: the SPECint2000 program
stands_for() {
	awk -F '\t' -v name="$1" '!/^#/ && $1 == name { print $4 }' "$root/workloads/table.tsv"
}

# spec_names: what the programs stand for, all of them
spec_names() {
	local program
	for program in "${programs[@]}"; do stands_for "$program"; done | tr '\n' ' '
}

# simulate FOLDER OPTIONS...: every program's FOLDER/PROGRAM.csv that is not there yet. Fails when one cannot be had.
simulate() {
	local folder=$1 program status
	shift
	mkdir -p "$folder"
	for program in "${programs[@]}"; do
		if [ -s "$folder/$program.csv" ]; then
			echo "$program: done before" >&2
			continue
		fi
		echo "$program: $millions M instructions on $machine" >&2
		status=0
		"$root/workloads/run" -c truth "$program" -- -m "$machine" --max-insns "$(amount)" "${options[@]}" "$@" \
			--csv "$folder/$program.partial" --output "$folder/$program.txt" >/dev/null || status=$?
		if [ $status = 125 ] || [ $status = 130 ]; then
			echo "$program: stopped with status $status; the same command goes on from here" >&2
			return $status
		fi
		mv "$folder/$program.partial" "$folder/$program.csv"
	done
}

# A fraction of a million is fine for trying out.
amount() {
	awk -v m="$millions" 'BEGIN { printf "%d\n", m * 1000000 }'
}
