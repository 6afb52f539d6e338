#!/usr/bin/env bash
# Measures handoff chain on the messages of many tasks. Run it on an idle machine.
#
# usage: measure-chain.sh PATH/TO/handoff [MESSAGES] [TASKS]
#
# The default is 100,000 messages in 1,000 tasks. Needs python3, gzip, and 1 GB in the
# temporary directory.
set -euo pipefail
handoff=$(realpath "$1"); count=${2:-100000}; tasks=${3:-1000}
messages=$(cd "$(dirname "$0")" && pwd)/chain-messages.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$messages" "$count" "$tasks" >many.jsonl
gzip -1 -k many.jsonl
size=$(stat -c %s many.jsonl)
cat many.jsonl many.jsonl.gz >/dev/null # so that all runs read from memory
echo "$count messages in $tasks tasks, $((size / 1000000)) MB, $(nproc) cores"
printf '\n| handoff chain | seconds | MB/s | peak MiB | exit code |\n|---|---|---|---|---|\n'

# run NAME ARGUMENT... prints a row.
run() {
    local name=$1 code=0 seconds memory=0
    shift
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -v -o usage "$handoff" chain "$@" >output 2>errors || code=$?
        seconds=$(awk '/Elapsed/ {n = split($NF, t, ":"); for (i = 1; i <= n; i++) s = s * 60 + t[i]; print s}' usage)
        memory=$(awk '/Maximum resident/ {print int($NF / 1024)}' usage)
    else
        local TIMEFORMAT=%R
        { time "$handoff" chain "$@" >output 2>errors || code=$?; } 2>usage
        seconds=$(cat usage)
    fi
    awk -v name="$name" -v s="$seconds" -v size="$size" -v memory="$memory" -v code="$code" 'BEGIN {
        rate = size / 1e6 / (s > 0 ? s : 0.01)
        if (memory == 0) memory = "?"
        printf "| %s | %.2f | %.0f | %s | %d |\n", name, s, rate, memory, code}'
    head -c 2000 errors >&2
}

run "JSON Lines" many.jsonl
run "again" many.jsonl
run "as JSON" -f json many.jsonl
run "gzip" many.jsonl.gz
