#!/usr/bin/env bash
# Measures the figures of docs/compression.md: handoff, zstd and gzip, alternating on the
# same file. Run it on an idle machine.
#
# usage: measure-compress.sh PATH/TO/handoff [MESSAGES]
#
# Needs python3, zstd, gzip, and the generator in ../shared/bench beside the
# checkout.
set -euo pipefail
handoff=$(realpath "$1"); count=${2:-30000}
generate=$(cd "$(dirname "$0")/../../shared/bench" && pwd)/generate.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$generate" "$count" >many.jsonl
mkdir single
head -n 500 many.jsonl | split -l 1 -a 5 --additional-suffix=.json - single/
HANDOFF=$handoff python3 - <<'PY'
import os, subprocess, time
handoff = os.environ["HANDOFF"]
size = os.path.getsize("many.jsonl")

def run(args, out):
    began = time.perf_counter()
    with open(out, "wb") as f:
        p = subprocess.Popen(args, stdout=f, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(p.pid, 0)
    assert status == 0, args
    return time.perf_counter() - began, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024

def table(title, rows, runs):
    best = {}
    for _ in range(runs):  # alternating, so that the load of the machine affects all equally
        for name, args, out in rows:
            seconds, cpu, mib = run(args, out)
            s, c, m = best.get(name, (seconds, cpu, mib))
            best[name] = min(s, seconds), min(c, cpu), max(m, mib)
    print(f"\n| {title} | ratio | time | processor time | rate | peak memory |\n|---|---|---|---|---|---|")
    for name, _, out in rows:
        s, c, m = best[name]
        data = os.path.getsize("many.zst" if "decompress" in title else out)
        print(f"| {name} | {size/data:.3f} | {s:.2f} s | {c:.2f} s | {size/s/1e6:.0f} MB/s | {m:.0f} MiB |")
    return {name: (best[name][0], size / max(1, os.path.getsize(out))) for name, _, out in rows}

c = [handoff, "compress", "-q"]
t = table(f"compress {size/1e6:.0f} MB, {os.cpu_count()} cores, fastest of 7", [
    ("`handoff compress`", [*c, "many.jsonl"], "many.zst"),
    ("`zstd -3 -T0`", ["zstd", "-q", "-c", "-3", "-T0", "many.jsonl"], "theirs.zst"),
    ("`handoff compress --level 1`", [*c, "--level", "1", "many.jsonl"], "level1"),
    ("`handoff compress --level 6`", [*c, "--level", "6", "many.jsonl"], "level6"),
    ("`handoff compress --codec gzip`", [*c, "--codec", "gzip", "many.jsonl"], "many.gz"),
    ("`handoff compress --codec gzip --level 8`", [*c, "--codec", "gzip", "--level", "8", "many.jsonl"], "many8.gz"),
    ("`handoff compress --per-message`", [*c, "--per-message", "many.jsonl"], "frames"),
    ("`handoff compress --per-message --dict builtin`", [*c, "--per-message", "--dict", "builtin", "many.jsonl"], "frames.dict"),
], 7)
g = table("compress, fastest of 2", [("`gzip -6`", ["gzip", "-c", "-6", "many.jsonl"], "theirs.gz")], 2)
table("decompress, fastest of 5", [
    ("`handoff decompress`", [handoff, "decompress", "-q", "many.zst"], "/dev/null"),
    ("`zstd -d`", ["zstd", "-q", "-d", "-c", "many.zst"], "/dev/null"),
], 5)

ours, theirs, gz = t["`handoff compress`"], t["`zstd -3 -T0`"], g["`gzip -6`"]
slow = t["`handoff compress --codec gzip --level 8`"]
print(f"\nhandoff compress: {theirs[0]/ours[0]:.2f} times the speed of zstd -3 -T0 at {100*ours[1]/theirs[1]:.1f} % of its ratio,")
print(f"{gz[0]/ours[0]:.1f} times that of gzip -6 at {100*ours[1]/gz[1]:.1f} %; --codec gzip --level 8: {gz[0]/slow[0]:.1f} times at {100*slow[1]/gz[1]:.1f} %")
PY
total=$(cat single/*.json | wc -c)
plain=$(for f in single/*.json; do zstd -q -3 -c "$f"; done | wc -c)
dict=$("$handoff" compress -q --per-message --dict builtin single | wc -c)
echo
echo "500 single messages, $total bytes: zstd -3 $plain, --dict builtin $dict, $((100 * plain / dict)) % of it"
