#!/usr/bin/env bash
# Measures the commands of the other systems and the conversions between all of them.
# Run it on a quiet machine.
#
# usage: measure-formats.sh PATH/TO/handoff [TURNS] [MESSAGES]
#
# Without numbers, a conversation of 20,000 turns and MACP sessions of 100,000 messages
# each. Needs python3.
set -euo pipefail
handoff=$(realpath "$1"); turns=${2:-20000}; messages=${3:-100000}
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
run requests.jsonl sw4rm respond --agent agent.json
for from in sw4rm-context openai; do
    for to in eaapl sw4rm-context sw4rm-request macp openai; do
        [ "$from" = "$to" ] && continue
        run "$from.json" convert -q --to "$to"
        cp output there.json
        run there.json convert -q --to "$from"
    done
done
