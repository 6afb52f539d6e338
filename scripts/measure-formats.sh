#!/usr/bin/env bash
# Measures the commands for other systems, and the conversions between all of them.
# Run it on an idle machine.
#
# usage: measure-formats.sh PATH/TO/handoff [TURNS] [MESSAGES] [VALUES]
#
# The default is a conversation of 20,000 turns, MACP sessions of 100,000 messages each, and,
# for the peak memory, a million short turns and an object with a million members.
# Needs python3.
set -euo pipefail
handoff=$(realpath "$1"); turns=${2:-20000}; messages=${3:-100000}; values=${4:-1000000}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
python3 - "$turns" "$messages" <<'PYTHON'
import json, sys
turns, messages = int(sys.argv[1]), int(sys.argv[2])
words = "the supplier shall not be liable for indirect loss of profit or revenue under clause " * 5
say = lambda i: {"role": ("user", "assistant")[i % 2], "content": f"turn {i}: {words}"}
json.dump({"input_history": [say(i) for i in range(turns)], "pre_handoff_items": [], "new_items": []}, open("openai.json", "w"))
json.dump({"conversation_history": [say(i) for i in range(turns)], "tool_state": {}, "metadata": {}}, open("sw4rm-context.json", "w"))
envelope = lambda i, kind, sender, payload: {
    "macp_version": "1.0", "mode": "macp.mode.handoff.v1", "message_type": kind, "message_id": f"m{i}", "session_id": "s",
    "sender": sender, "timestamp": "2026-05-04T09:00:00Z", "payload": payload}
session = [envelope(0, "SessionStart", "a", {"intent": "", "participants": ["a", "b"], "mode_version": "1", "configuration_version": "1",
                                             "policy_version": "", "ttl_ms": 86400000})]
while len(session) < messages:
    n = len(session)
    session.append(envelope(n, "HandoffOffer", "a", {"handoff_id": f"h{n}", "target_participant": "b", "scope": "", "reason": "r"}))
    session.append(envelope(n + 1, "HandoffDecline", "b", {"handoff_id": f"h{n}", "declined_by": "b", "reason": "r"}))
json.dump({"protocol_version": "1.0", "mode": "macp.mode.handoff.v1", "session_id": "s", "messages": session}, open("macp.json", "w"))
json.dump({"agent_id": "reviewer", "capabilities": ["review"], "state": "RUNNABLE"}, open("agent.json", "w"))
with open("requests.jsonl", "w") as f:
    for i in range(messages):
        f.write(json.dumps({"from_agent": "planner", "to_agent": "reviewer", "reason": words, "context_snapshot": None,
                            "preserve_history": True, "capabilities_required": ["review"], "metadata": {"n": i}}) + "\n")
PYTHON
cat ./* >/dev/null # so that all runs read from memory
echo "$turns turns, $messages messages, $(nproc) cores"
printf '\n| command | input | seconds |\n|---|---|---|\n'

# run FILE ARGUMENT... prints a row.
run() {
    local file=$1 TIMEFORMAT=%R
    shift
    { time "$handoff" "$@" "$file" >output 2>errors || { head -c 2000 errors >&2; exit 1; }; } 2>seconds
    awk -v command="$*" -v size="$(stat -c %s "$file")" '{printf "| `%s` | %.1f MB | %s |\n", command, size / 1e6, $1}' seconds
}

run openai.json openai nest
cp output nested.json
run nested.json openai unnest
run openai.json openai check -q
run macp.json macp check -q
run macp.json macp freeze
run requests.jsonl sw4rm respond --agent-record agent.json
for from in sw4rm-context openai; do
    for to in eaapl sw4rm-context sw4rm-request macp openai; do
        [ "$from" = "$to" ] && continue
        run "$from.json" convert -q --format-out "$to"
        cp output there.json
        run there.json convert -q --format-out "$from"
    done
done

# The peak memory of conversions. A separate program creates the messages, because the peak of a
# child includes the memory of its parent at its start.
"$handoff" example >example.json
python3 - "$values" <<'PYTHON'
import json, sys
values = int(sys.argv[1])
shapes = {
    "turns": {"conversationHistoryVerbatim": [{"role": ("user", "assistant")[i % 2], "content": str(i % 1000)} for i in range(values)]},
    "members": {"currentState": {f"k{i:07d}": i % 100 for i in range(values)}},
}
for shape, member in shapes.items():
    json.dump(json.load(open("example.json")) | member, open(f"{shape}-eaapl.json", "w"), separators=(",", ":"))
PYTHON
python3 - "$handoff" "$values" <<'PYTHON'
import os, subprocess, sys
handoff, values = sys.argv[1], sys.argv[2]
formats = ["eaapl", "sw4rm-context", "sw4rm-request", "macp", "openai"]

def convert(source, to, target):
    """Returns the peak resident size in bytes per byte of the source, and the CPU seconds."""
    with open(target, "wb") as out:
        child = subprocess.Popen([handoff, "convert", "-q", "--format-out", to, "--max-message-bytes", "1GiB", source], stdout=out)
        _, status, usage = os.wait4(child.pid, 0)
    if status != 0:
        sys.exit(f"converting {source} to {to} failed")
    scale = 1 if sys.platform == "darwin" else 1024
    return usage.ru_maxrss * scale / os.path.getsize(source), usage.ru_utime + usage.ru_stime

print(f"\n{values} values; peak memory in bytes per byte of the input, and CPU seconds, there and back\n")
print("| values | from | to | memory | seconds |\n|---|---|---|---|---|")
for shape in "turns", "members":
    for source in formats:
        if source != "eaapl":
            convert(f"{shape}-eaapl.json", source, f"{shape}-{source}.json")
        for to in formats:
            if to != source:
                there, seconds = convert(f"{shape}-{source}.json", to, "there.json")
                back, more = convert("there.json", source, "back.json")
                print(f"| {shape} | {source} | {to} | {there:.1f}, {back:.1f} | {seconds:.2f}, {more:.2f} |", flush=True)
PYTHON
