#!/usr/bin/env bash
# Measures what docs/performance.md reports. Run it on a quiet machine.
#
# usage: measure.sh PATH/TO/handoff [MESSAGES]
#
# Needs python3, and the generator in ../shared/bench beside the checkout.
set -euo pipefail
handoff=$(realpath "$1"); count=${2:-100000}
generate=$(cd "$(dirname "$0")/../../shared/bench" && pwd)/generate.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$generate" "$count" >many.jsonl
head -n 1 many.jsonl >one.json
mkdir files && head -n 10000 many.jsonl | split -l 1 -a 5 --additional-suffix=.json - files/
python3 "$generate" 1 150000 >huge.json
HANDOFF=$handoff python3 - <<'PY'
import os, resource, statistics, subprocess, time
handoff = os.environ["HANDOFF"]

def run(args):
    began = time.perf_counter()
    p = subprocess.Popen([handoff, *args], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(p.pid, 0)
    return time.perf_counter() - began, os.waitstatus_to_exitcode(status), usage.ru_maxrss / 1024

def row(name, args, runs):
    times, memory = [], 0
    for _ in range(runs):
        seconds, code, mib = run(args)
        assert code in (0, 1), (args, code)  # words drawn at random are now and then flagged
        times.append(seconds); memory = max(memory, mib)
    return name, statistics.median(times), min(times), memory

def size(path):
    if os.path.isdir(path): return sum(e.stat().st_size for e in os.scandir(path))
    return os.path.getsize(path)

print("| start to end, 50 runs | median | fastest |\n|---|---|---|")
for name, args in [("`handoff version`", ["version"]), ("`handoff validate` of one 7 kB message", ["validate", "one.json"]),
                   ("`handoff inspect` of it", ["inspect", "one.json"])]:
    name, median, best, _ = row(name, args, 50)
    print(f"| {name} | {median*1000:.1f} ms | {best*1000:.1f} ms |")
print("\n| work, 3 runs | size | median | rate | peak memory |\n|---|---|---|---|---|")
for name, args, path in [
    ("`validate` JSON Lines", ["validate", "many.jsonl"], "many.jsonl"),
    ("`validate` 10,000 files", ["validate", "files"], "files"),
    ("`validate` one message of 150,000 turns", ["validate", "huge.json"], "huge.json"),
    ("`inspect` JSON Lines", ["inspect", "many.jsonl"], "many.jsonl")]:
    name, median, _, memory = row(name, args, 3)
    print(f"| {name} | {size(path)/1e6:.0f} MB | {median:.2f} s | {size(path)/median/1e6:.0f} MB/s | {memory:.0f} MiB |")
PY
