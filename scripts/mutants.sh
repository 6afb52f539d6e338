#!/bin/sh
# Measures the conformance suite: plants 200 faults in the packages that answer its cases, one at a time, and
# prints the ones with which no case fails. tools/mutants describes the faults; it changes no file. The exit code is
# 1 if less than 90 % of the faults are detected.
#
#   scripts/mutants.sh [-n NUMBER] [-seed SEED] [-v]
set -eu
cd "$(dirname "$0")/.."
program=$(mktemp)
trap 'rm -f "$program"' EXIT
go build -C tools -o "$program" ./mutants
"$program" "$@"
