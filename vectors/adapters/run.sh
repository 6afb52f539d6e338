#!/bin/sh
# Installs the adapters, runs the suite with them and with handoff, and compares the table of the outcomes with the
# one in docs/vectors.md; -update rewrites that one. It needs Node, npm, Python, Go and the network.
# With names of adapters, it prints only their failures.
#
#   vectors/adapters/run.sh [-update | ADAPTER…]
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/handoff" .

# program_of ADAPTER: installs an adapter, and prints the command that starts it.
program_of() {
	cd "vectors/adapters/$1"
	if test -f package.json; then
		npm ci --no-audit --no-fund --loglevel=error >&2
		echo "node '$PWD/adapter.mjs'"
	elif test -f go.mod; then
		go build -o "$work/$1" .
		echo "$work/$1"
	else
		echo "python3 '$PWD/adapter.py'"
	fi
}

if test $# -gt 0 && test "$1" != -update; then
	for adapter; do
		program=$(program_of "$adapter")
		"$work/handoff" vectors run --max-findings 0 --command "$program" || test $? -eq 1
	done
	exit
fi
update=${1-}
set -- --command "$work/handoff vectors serve"
for folder in vectors/adapters/*/; do
	program=$(program_of "$(basename "$folder")")
	set -- "$@" --command "$program"
done
"$work/handoff" vectors run -f markdown "$@" >"$work/table" || test $? -eq 1 # adapters may fail cases
awk -v table="$work/table" '
	/^\| implementation/ { inside = 1; while ((getline line <table) > 0) if (line !~ /\| 0 \| 0 \| [0-9]+ \|$/) print line }
	!/^\|/ { inside = 0 }
	!inside { print }' docs/vectors.md >"$work/page"
if test "$update" = -update; then
	cp "$work/page" docs/vectors.md
else
	diff -u docs/vectors.md "$work/page"
fi
