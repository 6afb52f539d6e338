#!/usr/bin/env bash
# Measures handoff diff, and jq -S with diff, alternating on the same files. Run it on an
# idle machine.
#
# usage: measure-diff.sh PATH/TO/handoff [RUNS]
#
# Prints the fastest of RUNS runs (default 5). Needs python3, jq and diff.
set -euo pipefail
handoff=$(realpath "$1"); runs=${2:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 - <<'PY'
import copy, json, random, uuid

WORDS = ("the a of to and in that for with on as by from is was are be it this which has have not at contract clause liability "
         "vendor payment risk review customer request analysis result indemnity standard summary ticket refund invoice database "
         "query latency deploy rollback schema agent handoff budget token prompt completion section page medium high low noted "
         "industry obligations termination notice days party agreement data pending region quarter revenue forecast").split()

def words(r, n): return " ".join(r.choice(WORDS) for _ in range(n))
def new_id(r): return str(uuid.UUID(int=r.getrandbits(128), version=4))
def when(r): return "2026-06-%02dT%02d:%02d:%02d.%03dZ" % (r.randint(1, 28), r.randint(0, 23), r.randint(0, 59), r.randint(0, 59), r.randint(0, 999))
def turn(r): return {"role": r.choice(["user", "assistant"]), "content": words(r, 56), "timestamp": when(r)}

def message(turns, seed):
    r = random.Random(seed)
    return {
        "schemaVersion": "2.0", "handoffId": new_id(r), "taskId": new_id(r), "parentHandoffId": None,
        "fromAgent": {"agentId": "legal-analysis-agent", "agentVersion": "2.1.0", "executionId": new_id(r)},
        "toAgent": {"agentType": "risk-scoring-agent", "agentVersion": ">=1.5.0"},
        "timestamp": when(r), "taskDescription": words(r, 12),
        "completedSubtasks": [{"subtaskId": "s%d" % i, "description": words(r, 6), "result": {"text": words(r, 15)}, "completedAt": when(r)} for i in range(2)],
        "remainingSubtasks": [{"subtaskId": "s%d" % i, "description": words(r, 8)} for i in range(3, 6)],
        "currentState": {"extractedClauses": [{"id": i, "text": words(r, 20), "score": r.random()} for i in range(4)]},
        "relevantContext": [{"source": "Contract %d" % i, "excerpt": words(r, 40), "relevanceScore": 0.5} for i in range(4)],
        "constraints": ["returnJSON:true", "maxResponseTokens:2000"],
        "costTracking": {"costSpentSoFarUSD": 0.25, "costBudgetRemainingUSD": 0.75, "tokenSpent": {"prompt": 4200, "completion": 1800}},
        "conversationHistorySummary": words(r, 60),
        "conversationHistoryVerbatim": [turn(r) for _ in range(turns)],
        "toolCallHistory": [], "traceparent": "00-%032x-%016x-01" % (r.getrandbits(128) | 1, r.getrandbits(64) | 1),
    }

def changed(m, edits, seed):
    """A copy with some turns changed and one inserted."""
    r = random.Random(seed)
    m = copy.copy(m)
    turns = m["conversationHistoryVerbatim"] = list(m["conversationHistoryVerbatim"])
    for i in r.sample(range(len(turns)), edits):
        text = turns[i]["content"].split()
        text[r.randrange(len(text))] = "CHANGED"
        turns[i] = {**turns[i], "content": " ".join(text)}
    turns.insert(r.randrange(len(turns)), turn(r))
    return m

def other(m, seed):
    """The same message with another history."""
    r = random.Random(seed)
    return {**m, "conversationHistoryVerbatim": [turn(r) for _ in m["conversationHistoryVerbatim"]]}

def write(name, m):
    with open(name, "w") as f: json.dump(m, f, separators=(",", ":"))

base = message(20000, 7)
write("a.json", base)
write("b.json", changed(base, 20, 8))
write("b10.json", changed(base, 200, 8))
write("same.json", {k: base[k] for k in reversed(base)})
write("other.json", other(base, 9))
large = message(200000, 7)
write("large-a.json", large)
write("large-b.json", changed(large, 20, 8))
write("large-other.json", other(large, 9))
PY
# A separate process, because the reported peak memory of a command is never less than that
# of its parent.
HANDOFF=$handoff RUNS=$runs python3 - <<'PY'
import os, subprocess, sys, time
handoff, runs = os.environ["HANDOFF"], int(os.environ["RUNS"])

def run(args, out):
    """The seconds, the peak memory in MiB and the exit code of a command."""
    began = time.perf_counter()
    with open(out, "wb") as f:
        p = subprocess.Popen(args, stdout=f, stderr=subprocess.PIPE)
        errors = p.stderr.read()
        _, status, usage = os.wait4(p.pid, 0)
        p.returncode = os.waitstatus_to_exitcode(status)
    if p.returncode not in (0, 1): sys.exit("%s: exit code %d: %s" % (args, p.returncode, errors.decode()[:500]))
    return time.perf_counter() - began, usage.ru_maxrss / 1024, p.returncode

def sorted_diff(a, b):
    """jq -S . A >a2; jq -S . B >b2; diff a2 b2"""
    steps = [run(["jq", "-S", ".", a], "a2"), run(["jq", "-S", ".", b], "b2"), run(["diff", "a2", "b2"], "lines")]
    return sum(s for s, _, _ in steps), max(m for _, m, _ in steps), steps[-1][2]

PAIRS = [("20,000 turns, 20 changed, one inserted", "a.json", "b.json", runs),
         ("200 changed", "a.json", "b10.json", runs),
         ("other order of members, else the same", "a.json", "same.json", runs),
         ("all turns different", "a.json", "other.json", runs),
         ("200,000 turns, 20 changed, one inserted", "large-a.json", "large-b.json", max(1, runs // 2)),
         ("200,000 turns, all different", "large-a.json", "large-other.json", 1)]
COMMANDS = [("`handoff diff`", []), ("`-f json`", ["-f", "json"]), ("`-f jsonpatch`", ["-f", "jsonpatch"]),
            ("`-f mergepatch`", ["-f", "mergepatch"])]
jq = "`jq -S`, `diff`"
print(f"{os.cpu_count()} cores; the fastest of {runs} runs, fewer for the largest files")
best = {}
for title, a, b, times in PAIRS:
    for _ in range(times):  # alternating, so that the load of the machine affects all equally
        for name, args in [(jq, None)] + COMMANDS:
            seconds, mib, code = sorted_diff(a, b) if args is None else run([handoff, "diff", "--max-message-bytes", "1000000000", *args, a, b], "out")
            s, m, _ = best.get((title, name), (seconds, mib, code))
            best[title, name] = min(s, seconds), max(m, mib), code
    size = os.path.getsize(a) + os.path.getsize(b)
    theirs = best[title, jq][0]
    print(f"\n| {title}, {size/1e6:.0f} MB | time | rate | times as fast | peak memory | exit code |\n|---|---|---|---|---|---|")
    for name in [jq] + [n for n, _ in COMMANDS]:
        s, m, code = best[title, name]
        print(f"| {name} | {s:.2f} s | {size/s/1e6:.0f} MB/s | {theirs/s:.1f} | {m:.0f} MiB | {code} |", flush=True)
few, many = (best[PAIRS[i][0], "`handoff diff`"][0] for i in (0, 1))
small, large = (best[PAIRS[i][0], "`handoff diff`"][0] for i in (0, 4))
worst, largest = (best[PAIRS[i][0], "`handoff diff`"][0] for i in (3, 5))
print(f"\nhandoff diff: 10 times the changes take {many/few:.1f} times as long; 10 times the size {large/small:.1f} times, {largest/worst:.1f} if everything differs")
PY
