# Shared by the studies that use the interaction-cost graph: simulate programs under `culprit run --with graph`, one result file
# for each, and go on where an earlier run stopped. To be sourced after truth-lib.sh.
# shellcheck shell=bash disable=SC2154 # root, millions, programs: truth-lib.sh

# graph_results FOLDER OPTIONS...: every program's FOLDER/PROGRAM.csv that is not there yet. Fails when one cannot be had.
graph_results() {
	local folder=$1 program status
	shift
	mkdir -p "$folder"
	for program in "${programs[@]}"; do
		[ ! -s "$folder/$program.csv" ] || continue
		echo "$program: $millions M instructions, $*" >&2
		status=0
		"$root/workloads/run" "$program" -- --max-insns "$(amount)" --with graph "$@" --json "$folder/$program.json" \
			--output "$folder/$program.txt" >/dev/null || status=$?
		if [ $status = 125 ] || [ $status -gt 128 ]; then
			echo "$program: stopped with status $status; the same command goes on from here" >&2
			return $status
		fi
		graph_table "$folder/$program.json" >"$folder/$program.partial"
		mv "$folder/$program.partial" "$folder/$program.csv"
	done
}

# graph_table JSON: the region as a comment as `culprit truth --csv` has it, then name,cycles: `simulated`, `base` (the graph's own
# time), costs of the eight classes and icosts of all pairs
graph_table() {
	awk '
	function number() { gsub(/[^0-9-]/, ""); return $0 + 0 }
	/^  "skipped"/ { skipped = number() }
	/^  "warmed"/ { warmed = number() }
	/^  "instructions"/ { instructions = number() }
	/^  "graph": \{/ { inside = 1 }
	inside && /^    "graph_cycles"/ { base = number() }
	inside && /^    "simulated_cycles"/ { simulated = number() }
	inside && /^    "sets"/ { sets = 1 }
	sets && /^ *"classes"/ { set = ""; n = 0 }
	sets && /^ *"[a-z0-9]+",?$/ { gsub(/[ ",]/, ""); set = set (n++ ? "+" : "") $0 }
	sets && /^ *"icost"/ { if (n == 1 || n == 2) rows = rows set "," number() "\n" }
	END {
		printf "# region: %d skipped, %d warmed up, %d instructions\n", skipped, warmed, instructions
		printf "simulated,%d\nbase,%d\n%s", simulated, base, rows
	}' "$1"
}
