#!/usr/bin/env bash
# Checks what only a whole process shows: memory that does not grow with the
# stream, closed pipes, interrupts, full disks.
#
# usage: check-streams.sh PATH/TO/handoff [MESSAGES]
set -euo pipefail
handoff=$(realpath "$1"); count=${2:-20000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "check-streams: $*" >&2; exit 1; }

"$handoff" example message | tr -d '\n' >one.json; echo >>one.json
for ((i = 0; i < 100; i++)); do cat one.json; done >hundred
stream() { for ((i = 0; i < count / 100; i++)); do cat hundred; done; }

# peak FILE COMMAND...: the peak memory of the command on it, in MiB, from the
# kernel's own account of the process.
peak() {
  python3 - "$handoff" "$@" <<'PY'
import resource, subprocess, sys
p = subprocess.run([sys.argv[1], *sys.argv[3:]], stdin=open(sys.argv[2]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if p.returncode not in (0, 1): sys.exit("exit code %d" % p.returncode)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
}
stream >many.jsonl
# Documents of two bytes, each with many times its size in findings.
printf '{}\n%.0s' {1..20000} >tiny.jsonl
"$handoff" keygen -o key
if command -v python3 >/dev/null; then
  check() {
    local mib; mib=$(peak "$@")
    echo "peak memory of $2 on $(wc -l <"$1") documents of $1: $mib MiB"
    [ "$mib" -lt 100 ] || fail "$2 used $mib MiB on $1"
  }
  check many.jsonl validate
  check tiny.jsonl validate
  check many.jsonl canonicalize
  check many.jsonl sign --force --key-file key
  check many.jsonl verify --key-file key
  check many.jsonl scan
else
  echo "no python3: peak memory is not checked"
fi

# A reader that goes away ends the run at once, quietly.
for command in validate canonicalize "sign --key-file key" "verify --key-file key" scan; do
  set +e
  # shellcheck disable=SC2086
  "$handoff" $command many.jsonl 2>err | head -n 1 >/dev/null
  code=${PIPESTATUS[0]}
  set -e
  [ "$code" -eq 141 ] || fail "$command, closed pipe: exit code $code"
  [ ! -s err ] || fail "$command, closed pipe: $(cat err)"
done

# An interrupt leaves the old file, and nothing beside it.
echo old >report.txt
mkfifo feed
"$handoff" validate -o report.txt feed 2>/dev/null &
pid=$!
exec 3>feed
cat hundred >&3
sleep 0.3
kill -TERM "$pid"
set +e; wait "$pid"; code=$?; set -e
exec 3>&-
[ "$code" -eq 143 ] || fail "interrupt: exit code $code"
[ "$(cat report.txt)" = old ] || fail "interrupt: the old report is gone"
[ -z "$(find . -name '*.tmp')" ] || fail "interrupt: a temporary file is left"

# The same for a file that is rewritten in place.
cp many.jsonl mine.jsonl
"$handoff" sign -i --key-file key mine.jsonl 2>/dev/null &
pid=$!
sleep 0.2
kill -TERM "$pid" 2>/dev/null || true
set +e; wait "$pid"; code=$?; set -e
[ "$code" -ne 143 ] || cmp -s many.jsonl mine.jsonl || fail "interrupt: the file is neither old nor new"
[ -z "$(find . -name '*.tmp')" ] || fail "interrupt: a temporary file is left"

# Processes that share a file of accepted ids accept each id once.
"$handoff" sign --key-file key one.json >signed.json
for _ in 1 2 3 4 5 6 7 8; do
  "$handoff" verify -f json --key-file key --seen ids signed.json signed.json 2>/dev/null &
done >verdicts || true
set +e; wait; set -e
[ "$(grep -c '"valid":true' verdicts)" -eq 1 ] || fail "a message was accepted $(grep -c '"valid":true' verdicts) times"
[ "$(wc -l <verdicts)" -eq 16 ] || fail "$(wc -l <verdicts) verdicts of 16"

# A full disk is an error, not a short file.
if [ -c /dev/full ]; then
  set +e
  "$handoff" validate many.jsonl >/dev/full 2>err; code=$?
  set -e
  [ "$code" -eq 2 ] && grep -q 'no space left' err || fail "full disk: exit code $code: $(cat err)"
fi
echo "streams: fine"
