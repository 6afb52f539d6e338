#!/bin/sh
# For each promise of docs/threats.md: takes the guard away that keeps it, as scripts/threats/*.edits say,
# runs the tests that the promise names, and expects one to fail. It works in a copy of the commit, prints a
# row for each promise, and ends with 1 if a test did not notice, or a promise has no edit.
#
#   scripts/threats.sh [PATTERN]   only the promises that match a regular expression
#
# TIMEOUT is how long one run of tests may take, 180s by default. All rows take about half an hour on two cores.
set -eu
cd "$(dirname "$0")/.."
copy=$(mktemp -d)
trap 'git worktree remove --force "$copy" >/dev/null 2>&1; rm -rf "$copy"' EXIT
trap 'exit 2' INT TERM HUP
git worktree add --quiet --detach "$copy" HEAD
go build -o "$copy/.threats" ./scripts/threats
cd "$copy"
./.threats "$@"
