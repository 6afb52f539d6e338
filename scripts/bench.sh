#!/usr/bin/env bash
# Measures the figures of docs/performance.md: handoff and public tools for the same work, on
# the same files in one run; the growth of time and memory with the input; and start-up.
# Run it on an idle machine.
#
# usage: [BEFORE=PATH/TO/OLD/handoff] bench.sh PATH/TO/handoff [MESSAGES [LARGEST]]
#
# LARGEST is the longest stream in MB (default 1000), which needs as much disk space. With BEFORE, it first
# compares the CPU time of both programs.
# Needs python3, jq, openssl, npm (which installs the peers into a temporary folder), and the generator
# and the peers' schema in ../shared/bench beside the checkout. The peers are the native validator
# @sourcemeta/jsonschema without its Node wrapper, with --fast; ajv's standalone code in a running Node;
# jq; jsontext.Canonicalize (tools/peer); gpt-tokenizer in a running Node; openssl. Times of runs are
# medians of 5 after a warm-up run: wall clock, and CPU time of user and system.
set -euo pipefail
handoff=$(realpath "$1"); before=${BEFORE:+$(realpath "$BEFORE")}; count=${2:-10000}; largest=${3:-1000}
root=$(cd "$(dirname "$0")/.." && pwd)
shared=$(cd "$root/../shared/bench" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 "$shared/generate.py" "$count" >many.jsonl
head -n 1 many.jsonl >one.json
(umask 077 && printf 0123456789abcdefghijklmnopqrstuv >key)
"$handoff" sign --force --key-file key many.jsonl >signed.jsonl
"$handoff" keygen --type ed25519 -o pair.key
"$handoff" sign --force --key-file pair.key many.jsonl >signed25519.jsonl
npm install --silent --no-fund --no-audit --prefix peers @sourcemeta/jsonschema ajv ajv-formats gpt-tokenizer >npm.log 2>&1 ||
  echo "the peers from npm could not be installed: their rows are left out" >&2
go build -C "$root/tools" -o "$work/peer" ./peer
# Measures inside of Node, so that its start does not count: node peer.mjs schema|tokens FILE prints
# the median of five wall-clock and CPU times.
cat >peers/peer.mjs <<'JS'
import { readFileSync } from "node:fs";
const [kind, file, schema] = process.argv.slice(2);
const lines = readFileSync(file, "utf8").trimEnd().split("\n");
let work;
if (kind === "schema") {
  const { default: Ajv } = await import("ajv/dist/2020.js");
  const { default: formats } = await import("ajv-formats");
  const { default: standalone } = await import("ajv/dist/standalone/index.js");
  const ajv = formats.default ? formats.default(new Ajv.default({ code: { source: true } })) : formats(new Ajv({ code: { source: true } }));
  const code = (standalone.default ?? standalone)(ajv, ajv.compile(JSON.parse(readFileSync(schema, "utf8"))));
  const module = { exports: {} };
  const { createRequire } = await import("node:module");
  new Function("module", "exports", "require", code)(module, module.exports, createRequire(import.meta.url));
  work = () => lines.every((line) => module.exports(JSON.parse(line)));
} else {
  const { countTokens } = await import("gpt-tokenizer/encoding/o200k_base");
  work = () => lines.reduce((sum, line) => sum + countTokens(line), 0) > 0;
}
const wall = [], cpu = [];
for (let i = 0; i < 6; i++) {
  const began = performance.now(), used = process.cpuUsage();
  if (!work()) throw new Error("a message is invalid");
  const { user, system } = process.cpuUsage(used);
  if (i > 0) wall.push((performance.now() - began) / 1e3), cpu.push((user + system) / 1e6);
}
const median = (all) => all.sort((a, b) => a - b)[2];
console.log(median(wall), median(cpu));
JS
HANDOFF=$handoff BEFORE=$before SHARED=$shared LARGEST=$largest python3 - <<'PY'
import glob, os, statistics, subprocess, time
handoff, shared, largest = os.environ["HANDOFF"], os.environ["SHARED"], int(os.environ["LARGEST"])
native = next(iter(glob.glob(f"peers/node_modules/@sourcemeta/jsonschema/build/*/jsonschema-linux-{os.uname().machine.replace('aarch64', 'arm64')}")), None)
schema = shared + "/peer-schema.json"

def run(args, **more):
    began = time.perf_counter()
    p = subprocess.Popen(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **more)
    _, status, usage = os.wait4(p.pid, 0)
    seconds, code = time.perf_counter() - began, os.waitstatus_to_exitcode(status)
    assert code in (0, 1), (args, code)  # random words are sometimes flagged
    return seconds, usage.ru_maxrss / 1024, usage.ru_utime + usage.ru_stime

def medians(args, runs=5):
    run(args)
    done = [run(args) for _ in range(runs)]
    return statistics.median(r[0] for r in done), statistics.median(r[2] for r in done)

def median(args, runs=5): return medians(args, runs)[0]

def rate(path, seconds): return f"{os.path.getsize(path) / seconds / 1e6:.0f} MB/s"

def in_node(kind, path, pin=()):
    out = subprocess.run([*pin, "node", "peers/peer.mjs", kind, path, schema], capture_output=True, text=True, check=True).stdout
    return tuple(float(x) for x in out.split())

before = os.environ.get("BEFORE")
if before:
    print("| CPU time | before | now | ratio |\n|---|---|---|---|")
    for args in (["validate", "-q", "many.jsonl"], ["validate", "-q", "--layers", "schema", "many.jsonl"], ["scan", "-q", "many.jsonl"],
                 ["verify", "-q", "--key-file", "key", "signed.jsonl"], ["chain", "many.jsonl"], ["convert", "--format-out", "anthropic", "many.jsonl"]):
        pairs = [(run([before, *args])[2], run([handoff, *args])[2]) for _ in range(6)][1:]
        a, b = (statistics.median(p[i] for p in pairs) for i in (0, 1))
        print(f"| `{' '.join(args)}` | {a:.3f} s | {b:.3f} s | {b / a:.2f} |")
    print()
print(f"{os.path.getsize('many.jsonl') / 1e6:.0f} MB, {sum(1 for _ in open('many.jsonl'))} messages\n")
rows = []
def row(name, ours, theirs, runs=5):
    # ours and theirs: a command, or a function that measures.
    for cores in (os.cpu_count(), 1):
        pin = ["taskset", "-c", "0"] if cores == 1 else []
        a, b = (x(pin) if callable(x) else medians([*pin, *x], runs) for x in (ours, theirs))
        rows.append((b[1] / a[1], name, cores, a, b))
if native:
    peer = lambda path: [native, "validate", "--fast", schema, path]
    row("`validate --layers schema`; native validator", [handoff, "validate", "-q", "--layers", "schema", "many.jsonl"], peer("many.jsonl"))
    row("`validate`, all layers; native validator, schema only", [handoff, "validate", "-q", "many.jsonl"], peer("many.jsonl"))
    row("`validate` one message; native validator, schema only", [handoff, "validate", "-q", "one.json"], peer("one.json"), 50)
    row("`validate --layers schema`; ajv in Node", [handoff, "validate", "-q", "--layers", "schema", "many.jsonl"], lambda pin: in_node("schema", "many.jsonl", pin))
    row("`count --model gpt-4o`; gpt-tokenizer in Node", [handoff, "count", "--model", "gpt-4o", "-f", "json", "many.jsonl"], lambda pin: in_node("tokens", "many.jsonl", pin))
row("`canonicalize`; `jsontext.Canonicalize`", [handoff, "canonicalize", "many.jsonl"], ["./peer", "canonicalize", "many.jsonl"])
row("`canonicalize`; `jq -cS .`", [handoff, "canonicalize", "many.jsonl"], ["jq", "-cS", ".", "many.jsonl"])
row("`verify`; `openssl dgst -hmac` of all bytes", [handoff, "verify", "-q", "--key-file", "key", "signed.jsonl"],
    ["openssl", "dgst", "-sha256", "-hmac", "0123456789abcdefghijklmnopqrstuv", "signed.jsonl"])
print("| work; peer | cores | `handoff`: wall, CPU | peer: wall, CPU | peer's CPU / ours |\n|---|---|---|---|---|")
show = lambda t: f"{t * 1000:.1f} ms" if t < 0.1 else f"{t:.3f} s"
for ratio, name, cores, a, b in sorted(rows):
    print(f"| {name} | {cores} | {show(a[0])}, {show(a[1])} | {show(b[0])}, {show(b[1])} | {ratio:.2f} |")

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
    seconds = statistics.median(r[0] for r in runs)
    print(f"| {os.path.getsize('stream.jsonl') / 1e6:.0f} MB | {seconds:.3f} s | {rate('stream.jsonl', seconds)} | {max(r[1] for r in runs):.0f} MiB |")
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
    seconds = statistics.median(r[0] for r in runs)
    print(f"| {name} | {seconds:.2f} s | {rate('many.jsonl', seconds)} | {max(r[1] for r in runs):.0f} MiB |")

print("\n| start to end, 50 runs | median | fastest |\n|---|---|---|")
for name, args in (("`handoff version`", ["version"]), ("`validate one.json`", ["validate", "one.json"]), ("`inspect one.json`", ["inspect", "one.json"]),
                   ("`verify one.json`", ["verify", "--key-file", "key", "one.json"])):
    times = [run([handoff, *args])[0] for _ in range(50)]
    print(f"| {name} | {statistics.median(times) * 1000:.1f} ms | {min(times) * 1000:.1f} ms |")
PY
