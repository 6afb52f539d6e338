#!/usr/bin/env bash
# Measures what docs/signing.md reports: canonicalising and verifying a stream of
# 8 kB messages beside openssl hashing the same bytes on one core, in one run. Run
# it on a quiet machine.
#
# usage: measure-signing.sh PATH/TO/handoff [MESSAGES]
#
# Needs python3, openssl, and the generator in ../shared/bench beside the checkout.
set -euo pipefail
handoff=$(realpath "$1"); count=${2:-40000}
generate=$(cd "$(dirname "$0")/../../shared/bench" && pwd)/generate.py
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
key=$(printf 'k%.0s' {1..32})
(umask 077 && printf %s "$key" >key)
python3 "$generate" "$count" | "$handoff" sign --force --key-file key >signed.jsonl
HANDOFF=$handoff KEY=$key python3 - <<'PY'
import os, statistics, subprocess, time
handoff, key = os.environ["HANDOFF"], os.environ["KEY"]
size = os.path.getsize("signed.jsonl")

def seconds(args):
    times = []
    for _ in range(9):
        began = time.perf_counter()
        subprocess.run(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)

peer = seconds(["openssl", "dgst", "-sha256", "-hmac", key, "signed.jsonl"])
print(f"{size / 1e6:.0f} MB, medians of 9 runs, start to end\n")
print("| work | seconds | MB/s | of openssl |\n|---|---|---|---|")
for name, args in [
    ("`openssl dgst -sha256 -hmac`, the raw bytes, one core", None),
    ("`handoff verify -q`", ["verify", "-q", "--key-file", "key", "signed.jsonl"]),
    ("`handoff canonicalize`", ["canonicalize", "signed.jsonl"]),
    ("`handoff sign --force`", ["sign", "--force", "--key-file", "key", "signed.jsonl"]),
]:
    t = peer if args is None else seconds([handoff, *args])
    print(f"| {name} | {t:.3f} | {size / t / 1e6:.0f} | {peer / t:.2f} |")
PY
