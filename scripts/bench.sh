#!/usr/bin/env bash
# Measures the figures of docs/performance.md: handoff and public tools for the same work, on
# the same files in one run; the growth of time and memory with the input; and start-up.
# Run it on an idle machine.
#
# usage: bench.sh PATH/TO/handoff [MESSAGES [LARGEST]]
#
# LARGEST is the longest stream in MB (default 1000), which needs as much disk space.
# Needs python3, jq, openssl, npm (which installs @sourcemeta/jsonschema into a temporary
# folder), and the generator and the peer's schema in ../shared/bench beside the
# checkout. Times are wall clock times, medians of 5 runs after a warm-up run.
set -euo pipefail
handoff=$(realpath "$1"); count=${2:-10000}; largest=${3:-1000}
shared=$(cd "$(dirname "$0")/../../shared/bench" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$shared/generate.py" "$count" >many.jsonl
head -n 1 many.jsonl >one.json
(umask 077 && printf 0123456789abcdefghijklmnopqrstuv >key)
"$handoff" sign --force --key-file key many.jsonl >signed.jsonl
"$handoff" keygen --type ed25519 -o pair.key
"$handoff" sign --force --key-file pair.key many.jsonl >signed25519.jsonl
npm install --silent --no-fund --no-audit --prefix peers @sourcemeta/jsonschema >npm.log 2>&1 ||
  echo "@sourcemeta/jsonschema could not be installed: its rows are left out" >&2
HANDOFF=$handoff SHARED=$shared LARGEST=$largest python3 - <<'PY'
import os, shutil, statistics, subprocess, time
handoff, shared, largest = os.environ["HANDOFF"], os.environ["SHARED"], int(os.environ["LARGEST"])
validator = "peers/node_modules/.bin/jsonschema"
schema = shared + "/peer-schema.json"

def run(args, **more):
    began = time.perf_counter()
    p = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    _, status, usage = os.wait4(p.pid, 0)
    seconds, code = time.perf_counter() - began, os.waitstatus_to_exitcode(status)
    assert code in (0, 1), (args, code)  # random words are sometimes flagged
    return seconds, usage.ru_maxrss / 1024

def median(args, runs=5):
    run(args)
    return statistics.median(run(args)[0] for _ in range(runs))

def rate(path, seconds): return f"{os.path.getsize(path) / seconds / 1e6:.0f} MB/s"

print(f"{os.path.getsize('many.jsonl') / 1e6:.0f} MB, {sum(1 for _ in open('many.jsonl'))} messages\n")
print("| work | `handoff` | peer | times as fast |\n|---|---|---|---|")
def row(name, path, ours, theirs, runs=5):
    a, b = median([handoff, *ours, path], runs), median(theirs, runs)
    show = (lambda t: f"{t * 1000:.1f} ms") if path == "one.json" else (lambda t: f"{t:.3f} s, {rate(path, t)}")
    print(f"| {name} | {show(a)} | {show(b)} | {b / a:.2f} |")
if os.path.exists(validator):
    peer = lambda path: [validator, "validate", schema, path]
    row("`validate --layers schema`; the C++ validator", "many.jsonl", ["validate", "--layers", "schema", "-q"], peer("many.jsonl"))
    row("`validate`, all layers; the same, schema only", "many.jsonl", ["validate", "-q"], peer("many.jsonl"))
    row("`validate` one message; the same, schema only", "one.json", ["validate", "-q"], peer("one.json"), 50)
row("`canonicalize`; `jq -cS .`", "many.jsonl", ["canonicalize"], ["jq", "-cS", ".", "many.jsonl"])
row("`verify`; `openssl dgst -hmac`", "signed.jsonl", ["verify", "-q", "--key-file", "key"],
    ["openssl", "dgst", "-sha256", "-hmac", "0123456789abcdefghijklmnopqrstuv", "signed.jsonl"])

print("\n| `validate` of a stream | time | rate | peak memory |\n|---|---|---|---|")
def stream(path, megabytes):
    # Repeats the messages. This program must stay small: the reported peak memory of a child
    # is never less than the memory of its parent.
    left = megabytes * 10**6
    with open(path, "wb") as out:
        while left > 0:
            for line in open("many.jsonl", "rb"):
                out.write(line)
                left -= len(line)
                if left <= 0: return
for size in (1, 10, 100, 1000, 10000):
    if size > largest: break
    stream("stream.jsonl", size)
    runs = [run([handoff, "validate", "-q", "stream.jsonl"]) for _ in range(5 if size <= 100 else 1)]
    seconds = statistics.median(t for t, _ in runs)
    print(f"| {os.path.getsize('stream.jsonl') / 1e6:.0f} MB | {seconds:.3f} s | {rate('stream.jsonl', seconds)} | {max(m for _, m in runs):.0f} MiB |")
os.remove("stream.jsonl")

print("\n| 64 MB | layers | one message | small ones | share of the rate |\n|---|---|---|---|---|")
with open("huge.json", "w") as f: subprocess.run(["python3", shared + "/generate.py", "1", "155000"], stdout=f, check=True)
stream("small.jsonl", 64)
for cores in (str(os.cpu_count()), "1"):
    for name, layers in (("schema", ["--layers", "schema"]), ("all", [])):
        one, many = (os.path.getsize(path) / median(["env", "GOMAXPROCS=" + cores, handoff, "validate", "-q", *layers, path]) / 1e6 for path in ("huge.json", "small.jsonl"))
        print(f"| {cores} core{'s' * (cores != '1')} | {name} | {one:.0f} MB/s | {many:.0f} MB/s | {one / many:.0%} |")

print("\n| other work | time | rate | peak memory |\n|---|---|---|---|")
os.mkdir("files")
for i, line in enumerate(open("many.jsonl", "rb")):
    with open(f"files/{i}.json", "wb") as f: f.write(line)
for codec, suffix in (("gzip", "gz"), ("zstd", "zst")):
    subprocess.run([handoff, "compress", "-q", "--codec", codec, "-o", "many.jsonl." + suffix, "many.jsonl"], check=True)
for name, args in (("`validate` of the messages in gzip", ["validate", "-q", "many.jsonl.gz"]), ("`validate` of the messages in zstd", ["validate", "-q", "many.jsonl.zst"]),
                   ("`validate` of as many files", ["validate", "-q", "files"]), ("`validate -f json`", ["validate", "-f", "json", "many.jsonl"]),
                   ("`scan`", ["scan", "-q", "many.jsonl"]), ("`inspect`", ["inspect", "many.jsonl"]), ("`count`", ["count", "-f", "json", "many.jsonl"]),
                   ("`sign --force`", ["sign", "--force", "--key-file", "key", "many.jsonl"]),
                   ("`sign --force`, Ed25519", ["sign", "--force", "--key-file", "pair.key", "many.jsonl"]),
                   ("`verify`, Ed25519", ["verify", "-q", "--key-file", "pair.pub", "signed25519.jsonl"])):
    runs = [run([handoff, *args]) for _ in range(3)]
    seconds = statistics.median(t for t, _ in runs)
    print(f"| {name} | {seconds:.2f} s | {rate('many.jsonl', seconds)} | {max(m for _, m in runs):.0f} MiB |")

print("\n| start to end, 50 runs | median | fastest |\n|---|---|---|")
for name, args in (("`handoff version`", ["version"]), ("`validate one.json`", ["validate", "one.json"]), ("`inspect one.json`", ["inspect", "one.json"]),
                   ("`verify one.json`", ["verify", "--key-file", "key", "one.json"])):
    times = [run([handoff, *args])[0] for _ in range(50)]
    print(f"| {name} | {statistics.median(times) * 1000:.1f} ms | {min(times) * 1000:.1f} ms |")
PY
