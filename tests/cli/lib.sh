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
	echo "FAILED: $what" >&2
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

# field PID NUMBER: of its status line, from behind its name; 1 is its state.
field() {
	sed 's/.*) //' "/proc/$1/stat" 2>/dev/null | cut -d' ' -f"$2"
}

listens() { # PID: to SIGTERM
	(($(sed -n 's/^SigCgt:[[:space:]]*/0x/p' "/proc/$1/status") & 0x4000))
}

spent() { # PID: hundredths of a second of processor time, its own and the kernel's
	echo $(($(field "$1" 12) + $(field "$1" 13)))
}

# at_work PID: 0.3 s of processor time after it listens to signals it is where the options sent it, however long that takes. What it
# takes to start varies: with sanitizers it can be as long.
at_work() {
	local start
	until listens "$1" || ! kill -0 "$1"; do sleep 0.02; done
	start=$(spent "$1")
	while kill -0 "$1" && [ "$(spent "$1")" -lt $((start + 30)) ]; do sleep 0.02; done
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
