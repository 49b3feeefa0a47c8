# Shared by studies/stacks2006 and studies/penalties2009, to be sourced after truth-lib.sh: the twelve programs under
# `culprit run --with stacks`, and pictures of the results.
# shellcheck shell=bash disable=SC2154 # variables of truth-lib.sh and of the callers

# collect FOLDER OPTIONS...: every program's FOLDER/PROGRAM.csv that is not there yet.
collect() {
	local folder=$1 program status
	shift
	mkdir -p "$folder"
	for program in "${programs[@]}"; do
		[ ! -s "$folder/$program.csv" ] || continue
		echo "$program: $millions M instructions on $machine $*" >&2
		status=0
		"$root/workloads/run" "$program" -- -m "$machine" --max-insns "$(amount)" --with stacks --quiet \
			--stacks-csv "$folder/$program.partial" --output "$folder/$program.txt" "$@" \
			>/dev/null 2>"$folder/$program.err" || status=$?
		if [ $status -ge 125 ]; then
			tail -n 3 "$folder/$program.err" >&2
			echo "$program: stopped with status $status; the same command goes on from here" >&2
			return $status
		fi
		mv "$folder/$program.partial" "$folder/$program.csv"
	done
}

# replace FILE: standard input becomes FILE, whole or not at all
replace() {
	cat >"$1.new"
	mv "$1.new" "$1"
	echo "written: studies/${1##*/}" >&2
}

# picture FILE TITLE UNIT [MOST]: group,bar,part,value lines become stacked bars
picture() {
	awk -v title="$2" -v unit="$3" -v most="${4:-0}" -f "$here/bars.awk" | replace "$1"
}

# regions FOLDER: what each program's figures are from
regions() {
	local program
	for program in "${programs[@]}"; do
		echo "# $program: $(sed -n '1s/^# //p' "$1/$program.csv")"
	done
}
