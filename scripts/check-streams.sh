#!/usr/bin/env bash
# Checks properties of the whole process: memory that does not grow with the stream,
# closed pipes, interrupts, full disks.
#
# usage: check-streams.sh PATH/TO/handoff [MESSAGES]
set -euo pipefail
handoff=$(realpath "$1"); count=${2:-40000}
scripts=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() { echo "check-streams: $*" >&2; exit 1; }

"$handoff" example message | tr -d '\n' >one.json; echo >>one.json
for ((i = 0; i < 100; i++)); do cat one.json; done >hundred
stream() { for ((i = 0; i < count / 100; i++)); do cat hundred; done; }

# peak FILE COMMAND...: prints the peak memory of the command on the file, in MiB, as
# measured by the kernel.
peak() {
  python3 - "$handoff" "$@" <<'PY'
import resource, subprocess, sys
p = subprocess.run([sys.argv[1], *sys.argv[3:]], stdin=open(sys.argv[2]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
if p.returncode not in (0, 1): sys.exit("exit code %d" % p.returncode)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
PY
}
stream >many.jsonl
# Documents of two bytes, whose findings are many times larger.
printf '{}\n%.0s' {1..20000} >tiny.jsonl
sed 's/returnJSON:true/returnJSON:false/' many.jsonl >changed.jsonl
echo '{"constraints":[]}' >merge.json
"$handoff" keygen -o key
if command -v python3 >/dev/null; then
  # check [-MIB] FILE COMMAND...: checks that the peak is below MIB (default 180), which is less
  # than the stream, and enough on a busy machine.
  check() {
    local most=180 mib
    case $1 in -*) most=${1#-}; shift ;; esac
    mib=$(peak "$@")
    echo "peak memory of $2 on $1, $(($(wc -c <"$1") / 1000000)) MB: $mib MiB"
    [ "$mib" -lt "$most" ] || fail "$2 used $mib MiB on $1"
  }
  check many.jsonl validate
  check tiny.jsonl validate
  check many.jsonl canonicalize
  check many.jsonl sign --force --key-file key
  check many.jsonl verify --key-file key
  check many.jsonl scan
  check many.jsonl diff -q - many.jsonl
  check many.jsonl patch - merge.json
  # chain keeps everything in memory except the text of the messages.
  python3 "$scripts/chain-messages.py" $((count / 4)) 100 >chain.jsonl
  check chain.jsonl chain
  # Random text, so that the ratio is that of messages; far larger than the limit for
  # decompression.
  python3 - "$count" >random.jsonl <<'PY'
import random, sys
random.seed(1)
for i in range(int(sys.argv[1])):
    print('{"handoffId":"%d","conversationHistorySummary":"%s"}' % (i, random.randbytes(2500).hex()))
PY
  # This includes the vocabulary of the tokenizer.
  check -300 many.jsonl trim --last 2 --keep-turns 1
  check -300 many.jsonl count
  check random.jsonl compress
  check random.jsonl compress --codec gzip
  check random.jsonl compress --per-message --dict builtin --index index.jsonl
  "$handoff" compress -q -o random.zst random.jsonl
  "$handoff" compress -q --codec gzip -o random.gz random.jsonl
  check random.zst decompress
  check random.gz decompress
  "$handoff" decompress -q random.zst | cmp - random.jsonl || fail "compress | decompress changed the stream"
  "$handoff" decompress -q random.gz | cmp - random.jsonl || fail "compress | decompress changed the stream"
  rm random.*
else
  echo "python3 is missing: peak memory is not checked"
fi

# If the reader closes the pipe, the run ends immediately and without an error message.
for command in "validate -v" canonicalize "sign --key-file key" "verify -v --key-file key" "scan -v" "compress -q" "decompress -q" count "trim --last 1000" "diff changed.jsonl"; do
  set +e
  # shellcheck disable=SC2086
  "$handoff" $command many.jsonl 2>err | head -n 1 >/dev/null
  code=${PIPESTATUS[0]}
  set -e
  [ "$code" -eq 141 ] || fail "$command, closed pipe: exit code $code"
  [ ! -s err ] || fail "$command, closed pipe: $(cat err)"
done

# The same with input that is decompressed in a separate stage.
gzip -k many.jsonl
zstd -q -k many.jsonl
for packed in many.jsonl.gz many.jsonl.zst; do
  set +e
  timeout 60 "$handoff" validate -v "$packed" 2>err | head -n 1 >/dev/null
  code=${PIPESTATUS[0]}
  set -e
  [ "$code" -eq 141 ] && [ ! -s err ] || fail "validate $packed, closed pipe: exit code $code: $(cat err)"
done

# A killed writer also ends the run: the last message (1), or the compressed data (2), is cut
# off.
mkfifo cut
for writer in "cat" "gzip -c" "zstd -q -c"; do
  timeout 60 "$handoff" validate -q cut 2>err &
  pid=$!
  (yes "$(cat one.json)" 2>/dev/null || true) | $writer >cut 2>/dev/null &
  sleep 2
  pkill -KILL -P $$ -x "${writer%% *}" || true
  set +e; wait "$pid"; code=$?; wait; set -e
  case $writer in
    cat) [ "$code" -le 1 ] || fail "writer killed: exit code $code: $(cat err)" ;;
    *) [ "$code" -eq 2 ] && [ -s err ] || fail "$writer killed: exit code $code: $(cat err)" ;;
  esac
done

# After an interrupt, or if the terminal is closed, the old file remains, and no temporary file.
echo old >report.txt
mkfifo feed
for signal in TERM HUP; do
  env --default-signal=HUP "$handoff" validate -v -o report.txt feed 2>err & # in case nohup ignores it
  pid=$!
  exec 3>feed
  cat hundred >&3
  sleep 0.3
  kill "-$signal" "$pid"
  set +e; wait "$pid"; code=$?; set -e
  exec 3>&-
  [ "$code" -eq $((128 + $(kill -l "$signal"))) ] || fail "SIG$signal: exit code $code"
  [ ! -s err ] || fail "SIG$signal: $(cat err)"
  [ "$(cat report.txt)" = old ] || fail "SIG$signal: the old report is gone"
  [ -z "$(find . -name '*.tmp')" ] || fail "SIG$signal: a temporary file is left"
done

# The same for a file that is changed in place.
cp many.jsonl mine.jsonl
"$handoff" sign -i --key-file key mine.jsonl 2>/dev/null &
pid=$!
sleep 0.2
kill -TERM "$pid" 2>/dev/null || true
set +e; wait "$pid"; code=$?; set -e
[ "$code" -ne 143 ] || cmp -s many.jsonl mine.jsonl || fail "interrupt: the file is neither old nor new"
[ -z "$(find . -name '*.tmp')" ] || fail "interrupt: a temporary file is left"

# If compress is killed at any time, the old or the new file is complete.
for delay in 0.01 0.03 0.05 0.08 0.12 0.2; do
  cp many.jsonl mine.jsonl; rm -f mine.jsonl.zst
  "$handoff" compress -q -i mine.jsonl 2>/dev/null &
  pid=$!
  sleep "$delay"
  kill -KILL "$pid" 2>/dev/null || true
  set +e; wait "$pid" 2>/dev/null; set -e
  [ ! -e mine.jsonl ] || cmp -s many.jsonl mine.jsonl || fail "killed after $delay s: the file has changed"
  [ -e mine.jsonl ] || [ -e mine.jsonl.zst ] || fail "killed after $delay s: both files are gone"
  [ ! -e mine.jsonl.zst ] || "$handoff" decompress -q --max-ratio 0 mine.jsonl.zst | cmp -s - many.jsonl || fail "killed after $delay s: half a file"
  # On stdout, the reader detects the incomplete stream.
  "$handoff" compress -q many.jsonl >part.zst 2>/dev/null &
  pid=$!
  sleep "$delay"
  kill -KILL "$pid" 2>/dev/null || true
  set +e; wait "$pid" 2>/dev/null; set -e
  if "$handoff" decompress -q --max-ratio 0 -o whole.jsonl part.zst 2>/dev/null; then
    cmp -s whole.jsonl many.jsonl || fail "killed after $delay s: part of a stream looks complete"
  fi
done
# After SIGKILL, the next run removes the temporary files.
"$handoff" canonicalize -o next.jsonl one.json
[ -z "$(find . -name '*.tmp')" ] || fail "a temporary file of a killed process is left"

# Processes that share an archive lose nothing, and the archive restores all messages.
for i in 1 2 3 4; do
  "$handoff" trim --last 2 --keep-turns 1 --archive archive.jsonl -o "few$i.jsonl" hundred 2>/dev/null &
done
wait
[ "$(wc -l <archive.jsonl)" -eq 400 ] || fail "the archive has $(wc -l <archive.jsonl) entries of 400"
"$handoff" canonicalize -o hundred.canonical hundred
"$handoff" trim --restore archive.jsonl few1.jsonl | "$handoff" canonicalize | cmp -s - hundred.canonical || fail "the restored messages differ from the original ones"

# Slow input is processed while the pipe is still open.
mkfifo slow
(cat one.json; sleep 30) | "$handoff" compress -q | "$handoff" decompress -q >slow 2>/dev/null &
pid=$!
timeout 20 head -n 1 slow | cmp -s - one.json || fail "a message of a slow stream is not printed"
kill "$pid" 2>/dev/null || true
set +e; wait "$pid" 2>/dev/null; set -e

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
  "$handoff" validate -v many.jsonl >/dev/full 2>err; code=$?
  set -e
  [ "$code" -eq 2 ] && grep -q 'no space left' err || fail "full disk: exit code $code: $(cat err)"
fi
echo "streams: fine"
