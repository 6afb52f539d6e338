#!/usr/bin/env bash
# Runs tests and prints the packages that took the most CPU time and the tests that took longest.
#
# usage: test-costs.sh [GO TEST ARGUMENT]...   (default ./...)
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
code=0
TEST_COSTS=$work/costs go test -count=1 -json -exec "'$PWD/.ci/exec'" "${@:-./...}" >"$work/events" || code=$?
# Prints the output of failed packages.
jq -rjs '(map(select(.Action == "fail") | .Package)) as $failed | .[] | select(.Action | endswith("output")) | select((.Package // .ImportPath) as $p | $failed | index($p)) | .Output' "$work/events"
awk -v root="$PWD" '{ cpu = $1 + $2; wall = $3; sub(/^[^ ]+ [^ ]+ [^ ]+ /, ""); sub(root "/", ""); sum += cpu; printf "%6.1f %6.1f  %s\n", cpu, wall, $0 }
  END { printf "%6.1f         all packages\n", sum }' "$work/costs" | sort -rn >"$work/packages"
printf '\n%6s %6s  package\n' 'CPU s' 'wall s'
head -n 11 "$work/packages"
printf '\n%6s  test\n' 'wall s'
jq -r 'select((.Action == "pass" or .Action == "fail") and .Test and (.Test | contains("/") | not)) | "\(.Elapsed)\t\(.Package | sub("github.com/eaapl/handoff/"; "")).\(.Test)"' "$work/events" |
  sort -rn | head -n 10 | awk -F '\t' '{ printf "%6.1f  %s\n", $1, $2 }'
exit "$code"
