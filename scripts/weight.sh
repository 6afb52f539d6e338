#!/usr/bin/env bash
# Prints the sizes of the program and of its source, and the cost of a start, each with its goal. The CPU
# times are those of 300 starts, beside 300 starts of a program that does nothing.
#
# usage: weight.sh [--cold]
#
# --cold also runs the first command of the README on the last commit with empty caches, which downloads
# all dependencies and takes minutes.
set -euo pipefail
cold=${1-}
[ $# -le 1 ] && [ "${cold:---cold}" = --cold ] || { echo "usage: weight.sh [--cold]" >&2; exit 2; }
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# As in a release.
export CGO_ENABLED=0
GOOS=linux GOARCH=amd64 go build -trimpath -ldflags='-s -w' -o "$work/handoff" .
printf 'package main\n\nfunc main() {}\n' >"$work/empty.go"
GOOS=linux GOARCH=amd64 go build -trimpath -ldflags='-s -w' -o "$work/empty" "$work/empty.go"
go build -C tools -o "$work/weight" ./weight
"$work/handoff" example >"$work/one.json"
"$work/weight" "$work/handoff" "$work/empty" "$work/one.json"

[ -n "$cold" ] || exit 0
mkdir "$work/checkout"
git archive HEAD | tar -x -C "$work/checkout"
first=$(scripts/readme-command.sh 1)
export GOCACHE=$work/cache GOMODCACHE=$work/modules GOFLAGS=-modcacherw
TIMEFORMAT='%U %S'
{ time (cd "$work/checkout" && sh -euc "$first" >/dev/null 2>"$work/errors"); } 2>"$work/times" || { cat "$work/errors" >&2; exit 1; }
read -r user system <"$work/times"
bytes=$(find "$work/modules/cache/download" -type f -exec stat -c %s {} + | awk '{ sum += $1 } END { print sum }')
awk -v user="$user" -v kernel="$system" -v bytes="$bytes" 'BEGIN {
  printf "%-46s %-24s %s\n", "first command, empty caches: CPU", sprintf("%.0f s", user + kernel), "goal <= 100 s"
  printf "%-46s %-24s %s\n", "  download", sprintf("%.1f MB", bytes / 1e6), "goal <= 45 MB" }'
