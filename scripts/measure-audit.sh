#!/usr/bin/env bash
# Measures the commands that read an audit log. Run it on an idle machine.
#
# usage: measure-audit.sh PATH/TO/handoff [RECORDS] [BYTES]
#
# The default is 1,000,000 records with messages of 7,000 bytes, which need 1.3 GB in the temporary
# directory and take minutes to create. With 0 bytes, the records have no messages.
set -euo pipefail
handoff=$(realpath "$1"); records=${2:-1000000}; bytes=${3:-7000}
repository=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
(cd "$repository/tools" && go run ./auditlog -records "$records" -bytes "$bytes" "$work/audit.db") >tasks
export HANDOFF_AUDIT_LOG=$work/audit.db
task=$(head -n 1 tasks)
echo "$records records, $(($(stat -c %s audit.db) / 1000000)) MB, $(nproc) cores"
printf '\n| handoff audit | seconds | peak MiB | exit code |\n|---|---|---|---|\n'

# run ARGUMENT... prints a row.
run() {
    local code=0 seconds memory='?' TIMEFORMAT=%R
    if [ -x /usr/bin/time ]; then
        /usr/bin/time -f '%e %M' -o usage "$handoff" audit "$@" >output 2>errors || code=$?
        read -r seconds memory < <(tail -n 1 usage)
        memory=$((memory / 1024))
    else
        { time "$handoff" audit "$@" >output 2>errors || code=$?; } 2>usage
        seconds=$(cat usage)
    fi
    printf '| %s | %s | %s | %d |\n' "$*" "$seconds" "$memory" "$code"
    head -c 2000 errors >&2
}

run trace "$task"
run find "$task" /currentState
run show "$((records / 2))"
run list --limit 100
run list -f json
run cost "$task"
run cost --by agent
run stats
run stats --since "$(date -u -d "2026-06-12 $((records * 99 / 100)) seconds" +%Y-%m-%dT%H:%M:%SZ)" # a hundredth of the records
run verify -q
