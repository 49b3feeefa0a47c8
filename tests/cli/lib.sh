# What the scripts here share. Sourced with the script's arguments: CULPRIT PROGRAMS. Nothing may depend on time, which a
# loaded machine has less of, or on the signals that the caller blocks or ignores: what hangs in a loop is ended by the
# processor time that it takes.
set -u
[ "${SIGNALS_ARE_CLEAN:-}" ] || SIGNALS_ARE_CLEAN=1 exec "$2/clean_signals" "$0" "$@"
ulimit -t 1000
culprit=$(realpath "$1") programs=$(realpath "$2")
here=$(cd "$(dirname "$0")/../.." && pwd)
export CULPRIT_MACHINES=$here/machines
unset COLUMNS # reports to files are 80 columns wide, whoever calls
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 2
# A guest's stack begins with its name, and the C library asks for its real path: where the clone lies may not change
# what a guest does in time.
cp -r "$programs" programs && programs=programs
failures=0 checks=0

check() { # WHAT COMMAND...
	local what=$1
	shift
	checks=$((checks + 1))
	"$@" && return
	echo "FAILED: $what"
	failures=$((failures + 1))
}

# figures FILE: a JSON result without what differs from run to run and from command to command
figures() {
	jq 'del(.host_seconds, .mips, .provenance)' "$1"
}

finish() {
	echo "$checks checks, $failures failed"
	[ $failures = 0 ]
	exit
}

# refused STATUS TEXT ARGUMENT...: culprit ARGUMENT... ends so, says this one line and nothing else.
refused() {
	local status=$1 text=$2 got
	shift 2
	"$culprit" "$@" >out 2>err </dev/null
	got=$?
	check "culprit $*: status $got, expected $status" [ $got = "$status" ]
	[ "$(cat err)" = "culprit: $text" ] || echo "culprit $*: said: $(head -c 300 err)"
	check "culprit $*: expected: culprit: $text" [ "$(cat err)" = "culprit: $text" ]
	check "culprit $*: no output" [ ! -s out ]
}
