#!/bin/sh
# Installs the adapters, runs the suite with them and with handoff, and compares the table of the outcomes with the
# one in docs/vectors.md; -update rewrites that one. It needs Node, npm and the network.
set -eu
cd "$(dirname "$0")/../.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/handoff" .
set -- "${1-}" --command "$work/handoff vectors serve"
for adapter in vectors/adapters/*/adapter.mjs; do
	(cd "$(dirname "$adapter")" && npm ci --no-audit --no-fund >&2)
	set -- "$@" --command "node $adapter"
done
update=$1
shift
"$work/handoff" vectors run -f markdown "$@" >"$work/table" || test $? -eq 1 # adapters may fail cases
awk -v table="$work/table" '
	/^\|/ { while ((getline line <table) > 0) print line; next }
	{ print }' docs/vectors.md >"$work/page"
if test "$update" = -update; then
	cp "$work/page" docs/vectors.md
else
	diff -u docs/vectors.md "$work/page"
fi
