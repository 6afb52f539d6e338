#!/bin/sh
# For each promise of docs/threats.md: removes its guard, as defined in tools/threats/*.edits, runs the tests
# that the promise names, and expects at least one to fail. It compiles each edit with "go test -overlay", so it
# changes no file, and only the edited packages are rebuilt. It prints a line for each promise and a summary.
# The exit code is 1 unless the tests detected every edit.
#
#   scripts/threats.sh [PATTERN]   tests only the promises that match a regular expression
#
# TIMEOUT is the time limit of one run of tests (default 180s).
set -eu
cd "$(dirname "$0")/.."
program=$(mktemp)
trap 'rm -f "$program"' EXIT
go build -C tools -o "$program" ./threats
"$program" "$@"
