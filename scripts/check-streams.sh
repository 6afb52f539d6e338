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

# peak FILE: the peak memory of validating it, in MiB, from the kernel's own
# account of the process.
peak() {
  python3 - "$handoff" "$1" <<'PY'
import resource, subprocess, sys
p = subprocess.run([sys.argv[1], "validate"], stdin=open(sys.argv[2]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if p.returncode not in (0, 1): sys.exit("exit code %d" % p.returncode)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
}
stream >many.jsonl
# Documents of two bytes, each with many times its size in findings.
printf '{}\n%.0s' {1..20000} >tiny.jsonl
if command -v python3 >/dev/null; then
  for file in many.jsonl tiny.jsonl; do
    mib=$(peak $file)
    echo "peak memory on $(wc -l <$file) documents of $file: $mib MiB"
    [ "$mib" -lt 100 ] || fail "validate used $mib MiB on $file"
  done
else
  echo "no python3: peak memory is not checked"
fi

# A reader that goes away ends the run at once, quietly.
set +e
"$handoff" validate many.jsonl 2>err | head -n 1 >/dev/null
code=${PIPESTATUS[0]}
set -e
[ "$code" -eq 141 ] || fail "closed pipe: exit code $code"
[ ! -s err ] || fail "closed pipe: $(cat err)"

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

# A full disk is an error, not a short file.
if [ -c /dev/full ]; then
  set +e
  "$handoff" validate many.jsonl >/dev/full 2>err; code=$?
  set -e
  [ "$code" -eq 2 ] && grep -q 'no space left' err || fail "full disk: exit code $code: $(cat err)"
fi
echo "streams: fine"
