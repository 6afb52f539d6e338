#!/bin/sh
# For each promise of docs/threats.md: takes the guard away that keeps it, as tools/threats/*.edits say,
# runs the tests that the promise names, and expects one to fail. It compiles each edit with "go test -overlay",
# so it changes no file, and the build cache has all but what an edit touches. It prints a line for each
# promise and a summary, and ends with 1 unless each promise was noticed.
#
#   scripts/threats.sh [PATTERN]   only the promises that match a regular expression
#
# TIMEOUT is how long one run of tests may take, 180s by default.
set -eu
cd "$(dirname "$0")/.."
program=$(mktemp)
trap 'rm -f "$program"' EXIT
go build -C tools -o "$program" ./threats
"$program" "$@"
