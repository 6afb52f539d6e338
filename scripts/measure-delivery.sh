#!/usr/bin/env bash
# Measures the speed in docs/delivery.md: scripts/measure-delivery.sh HANDOFF [URL]...
#
# For each transport: the time from dispatch to acceptance of messages that are sent at a constant rate
# to a receiver on the same machine, including the audit log; then the maximum rate. Without URLs, it
# uses the servers at their default ports of 127.0.0.1. RATE (200) is in messages per second, MESSAGES
# (4000) is the number of messages of each measurement.
set -euo pipefail
handoff=$(realpath "$1")
shift
rate=${RATE:-200} messages=${MESSAGES:-4000} id=$$
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export XDG_STATE_HOME=$work/state
[ $# -gt 0 ] || set -- "dir:queue" "sqlite:queue.db?queue=tasks" \
  "postgres://postgres@127.0.0.1:5432/test?sslmode=disable&queue=measure-$id" \
  "http://127.0.0.1:18080/handoffs" "nats://127.0.0.1:4222/measure.$id" "redis://127.0.0.1:6379/0/measure-$id" \
  "amqp://guest:guest@127.0.0.1:5672/measure-$id"

echo '{"step": 4}' >checkpoint.json
"$handoff" example | tr -d '\n' >example.json
cat >many.py <<'PY'
import sys, time, uuid
rate, count = float(sys.argv[1]), int(sys.argv[2])
text = open("example.json").read()
begin = time.time()
for i in range(count):
    if rate:
        time.sleep(max(0, begin + i / rate - time.time()))
    one = text.replace("6e7f936b-cafd-4624-8754-0bafc4e8acb3", str(uuid.uuid4()))
    sys.stdout.write(one.replace("cc35de8b-6ece-4435-abfd-a60e12baff98", str(uuid.uuid4())) + "\n")
    sys.stdout.flush()
PY

for url; do
  name=${url%%:*}
  "$handoff" receive -q "$url" --audit-log "$name.db" --idle-timeout 5s --max "$messages" >/dev/null &
  sleep 1
  python3 many.py "$rate" "$messages" | "$handoff" send -q --to "$url" --checkpoint checkpoint.json --store "$name-sent.db" --audit-log "$name-sent-audit.db"
  wait
  "$handoff" audit stats -f json --audit-log "$name.db" >stats.json || true # exit code 1 means a maximum over its limit
  printf '%-9s %4d/s: ' "$name" "$rate"
  python3 -c '
import json
t = json.loads(open("stats.json").readline())
for l in t["latencies"]:
    print("p50 %.1f ms, p99 %.1f ms, maximum %.1f ms of %d" % (l["p50Micros"]/1e3, l["p99Micros"]/1e3, l["maxMicros"]/1e3, l["count"]))'

  python3 many.py 0 "$messages" >bulk.jsonl
  [ "$name" != http ] || { "$handoff" receive -q "$url" --audit-log bulk.db --max "$messages" >/dev/null & sleep 1; }
  begin=$(date +%s.%N)
  "$handoff" send -q --to "$url" --checkpoint checkpoint.json --store "$name-sent.db" --audit-log "$name-sent-audit.db" bulk.jsonl
  sent=$(date +%s.%N)
  [ "$name" = http ] || "$handoff" receive -q "$url" --audit-log bulk.db --max "$messages" >/dev/null
  wait
  python3 -c "print('%-9s  bulk: sent %.0f/s, received %.0f/s' % ('$name', $messages/($sent-$begin), $messages/($(date +%s.%N)-$([ "$name" = http ] && echo "$begin" || echo "$sent"))))"
  rm -f bulk.db*
done
