#!/usr/bin/env python3
"""Measures the response time of handoff mcp, and the start-up time of the program.

python3 scripts/measure-mcp.py PATH/TO/handoff [PATH/TO/another]

The first time is from the start of the process to the response to initialize, over standard input
and output. With another program, the calls of both alternate, so that they can be compared.
"""
import json, statistics, subprocess, sys, tempfile, time

RUNS = 60
HELLO = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "measure", "version": "1"}}}) + "\n"


def answer(program):
    start = time.perf_counter()
    p = subprocess.Popen([program, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    p.stdin.write(HELLO.encode())
    p.stdin.flush()
    line = p.stdout.readline()
    took = time.perf_counter() - start
    p.stdin.close()
    if p.wait() != 0 or b"serverInfo" not in line:
        sys.exit(f"{program} mcp: exit code {p.returncode}, {line[:200]}")
    return took


def call(*args):
    start = time.perf_counter()
    if subprocess.run(args, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        sys.exit(" ".join(args) + " failed")
    return time.perf_counter() - start


def report(what, program, times):
    print(f"{what:24} median {statistics.median(times) * 1000:5.1f} ms, fastest {min(times) * 1000:5.1f} ms, slowest {max(times) * 1000:5.1f} ms   {program}")


programs = sys.argv[1:] or sys.exit(__doc__)
report("mcp, first answer", programs[0], [answer(programs[0]) for _ in range(RUNS)])
with tempfile.NamedTemporaryFile(suffix=".json") as one:
    one.write(subprocess.run([programs[0], "example"], stdout=subprocess.PIPE, check=True).stdout)
    one.flush()
    for args in (["version"], ["validate", "-q", one.name]):
        times = {p: [] for p in programs}
        for _ in range(RUNS):
            for p in programs:
                times[p].append(call(p, *args))
        for p in programs:
            report(args[0], p, times[p])
