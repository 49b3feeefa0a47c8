# Shared by the scripts of workloads/: rows of table.tsv. To be sourced, with $here = this folder.
# shellcheck shell=bash disable=SC2034 # the variables are the callers'

root=$here/../sysroot
culprit=${CULPRIT:-$here/../build/release/culprit}
export CULPRIT_MACHINES=${CULPRIT_MACHINES:-$here/../machines}

# names SET...: the names of the rows in these sets, in table order.
names() {
	awk -F '\t' -v sets=" $* " '!/^#/ && index(sets, " " $2 " ") { print $1 }' "$here/table.tsv"
}

# row NAME: set the variables of that row; `command` becomes an array.
row() {
	local line
	line=$(awk -F '\t' -v name="$1" '!/^#/ && $1 == name' "$here/table.tsv")
	if [ -z "$line" ]; then
		echo "workloads: no program '$1' (there are: $(names twelve more small | tr '\n' ' '))" >&2
		exit 125
	fi
	IFS=$'\t' read -r name set list for total skip warmup measure status sha256 ignore stdin words <<<"$line"
	[ "$stdin" != - ] || stdin=/dev/null
	read -ra command <<<"$words"
}

# Both below go through a pipe, because a program that opens /dev/stdout (glpsol does) would truncate a regular file.
# On qemu-user, with the same argument vector and environment as under Culprit.
run_qemu() {
	(cd "$here" && exec env -i LC_ALL=C.UTF-8 qemu-riscv64 ${QEMU_PLUGIN_FILE:+-plugin "$QEMU_PLUGIN_FILE"} -L "$root" \
		-0 "${command[0]}" "$root${command[0]}" "${command[@]:1}" <"$stdin") | cat
	return "${PIPESTATUS[0]}"
}

# run_culprit SUBCOMMAND OPTIONS...
run_culprit() {
	local program
	program=$(realpath "$culprit") || exit 125
	(cd "$here" && exec "$program" "$@" --sysroot "$root" -- "${command[@]}" <"$stdin") | cat
	return "${PIPESTATUS[0]}"
}

# stdin to stdout without what may differ from run to run
comparable() {
	if [ "$ignore" = - ]; then cat; else grep -Ev -- "$ignore" || true; fi
}
