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

# replace FILE COMMAND...: what the command prints becomes FILE, whole or not at all
replace() {
	local file=$1
	shift
	"$@" >"$file.new"
	mv "$file.new" "$file"
	echo "written: studies/${file##*/}" >&2
}

# picture TITLE UNIT MOST COMMAND...: its group,bar,part,value lines as stacked bars, cut off at MOST (0: nowhere)
picture() {
	local title=$1 unit=$2 most=$3
	shift 3
	"$@" | awk -v title="$title" -v unit="$unit" -v most="$most" -f "$here/bars.awk"
}

# regions FOLDER: what each program's figures are from
regions() {
	local program
	for program in "${programs[@]}"; do
		echo "# $program: $(sed -n '1s/^# //p' "$1/$program.csv")"
	done
}
