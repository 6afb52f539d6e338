#!/usr/bin/env bash
# Counts the instructions of commands on fixed inputs, which other work on the machine does not change, and
# compares them with the recorded numbers. A rise of more than a tenth is an error.
#
# usage: instructions.sh [--record]
#
# --record writes the numbers to instructions.tsv instead. It needs valgrind, on linux/amd64.
set -euo pipefail
record=${1-}
[ $# -le 1 ] && [ "${record:---record}" = --record ] || { echo "usage: instructions.sh [--record]" >&2; exit 2; }
cd "$(dirname "$0")/.."
numbers=scripts/instructions.tsv
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -trimpath -o "$work/handoff" .

# inputs writes a kind of input: canonical messages, requests of an agent with tools, or a session that reads
# source code. The words come from a generator of random numbers that is the same everywhere.
inputs() {
	awk -v kind="$1" -v count="$2" '
	function random(n) { seed = seed * 16807 % 2147483647; return seed % n }
	function words(n,  s) { for (s = word[random(size)]; --n > 0; ) s = s " " word[random(size)]; return s }
	function digits(n,  s) { for (; n-- > 0; ) s = s random(10); return s }
	function hex(n,  s) { for (; n-- > 0; ) s = s substr("0123456789abcdef", random(16) + 1, 1); return s }
	function uuid() { return hex(8) "-" hex(4) "-4" hex(3) "-8" hex(3) "-" hex(12) }
	function moment() { return "2026-06-1" random(10) "T1" random(10) ":" random(6) random(10) ":" random(6) random(10) "Z" }
	function code(n,  s) {
		for (; n-- > 0; ) s = s digits(3) "\\t\\tif " word[random(size)] " := " word[random(size)] "(\\\"" words(2) "\\\", " random(99) "); err != nil {\\n\\t\\t\\treturn fmt.Errorf(\\\"" words(3) ": %w\\\", err) // " words(4) "\\n"
		return s
	}
	function message(  s, i) {
		s = "{\"schemaVersion\":\"2.0\",\"handoffId\":\"" uuid() "\",\"taskId\":\"" uuid() "\",\"parentHandoffId\":null,\"fromAgent\":{\"agentId\":\"legal-analysis-agent\",\"agentVersion\":\"2.1.0\",\"executionId\":\"" uuid() "\"},\"toAgent\":{\"agentType\":\"risk-scoring-agent\",\"agentVersion\":\">=1.5.0\"},\"timestamp\":\"" moment() "\",\"taskDescription\":\"" words(12) "\",\"completedSubtasks\":[{\"subtaskId\":\"s1\",\"description\":\"" words(6) "\",\"result\":{\"text\":\"" words(45) "\"},\"completedAt\":\"" moment() "\"}],\"remainingSubtasks\":[{\"subtaskId\":\"s2\",\"description\":\"" words(8) "\"}],\"currentState\":{\"score\":0." digits(12) ",\"text\":\"" words(80) "\"},\"relevantContext\":[{\"source\":\"Contract PDF\",\"excerpt\":\"" words(160) "\",\"relevanceScore\":0." digits(2) "}],\"constraints\":[\"returnJSON:true\"],\"costTracking\":{\"costSpentSoFarUSD\":0.1,\"costBudgetRemainingUSD\":0.9,\"tokenSpent\":{\"prompt\":" random(9000) ",\"completion\":" random(4000) "}},\"conversationHistorySummary\":\"" words(60) "\",\"conversationHistoryVerbatim\":["
		for (i = 0; i < 5; i++) s = s (i ? "," : "") "{\"role\":\"user\",\"content\":\"" words(50) "\",\"timestamp\":\"" moment() "\"}"
		return s "],\"toolCallHistory\":[{\"tool\":\"pdf_extract\",\"calledAt\":\"" moment() "\",\"inputHash\":\"sha256:" hex(64) "\",\"outputTokens\":" random(4000) "}],\"traceparent\":\"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\"}"
	}
	function request(  s, i, id) {
		s = "{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"system\",\"content\":\"" policy "\"}"
		for (i = 0; i < 8; i++) {
			id = "call_" hex(24)
			s = s ",{\"role\":\"user\",\"content\":\"Could you " words(12) "?\"},{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"" id "\",\"type\":\"function\",\"function\":{\"name\":\"get_order\",\"arguments\":\"{\\\"order_id\\\":\\\"#W" digits(7) "\\\"}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"" id "\",\"content\":\"{\\\"order_id\\\": \\\"#W" digits(7) "\\\", \\\"items\\\": [{\\\"name\\\": \\\"" words(2) "\\\", \\\"item_id\\\": \\\"" digits(10) "\\\", \\\"price\\\": " digits(3) ".5}], \\\"status\\\": \\\"pending\\\", \\\"payment_history\\\": [{\\\"amount\\\": " digits(3) "}]}\"},{\"role\":\"assistant\",\"content\":\"" words(25) ".\"}"
		}
		return s "]}"
	}
	BEGIN {
		seed = 7
		size = split("the a of to and in that for with on as by from is was are be it this which has have not at contract clause liability vendor payment risk review customer request analysis result indemnity unlimited standard summary ticket refund invoice database query latency deploy rollback schema agent handoff budget token prompt completion extracted section page scoring medium high low flagged noted industry obligations pursuant termination notice days party agreement data approved pending region Europe quarter revenue forecast overdue escalation owner decision because", list, " ")
		for (i = 1; i <= size; i++) word[i - 1] = list[i]
		policy = words(400)
		for (i = 0; i < count; i++) {
			if (kind == "messages") print message()
			else if (kind == "agents") print request()
			else print "{\"parentUuid\":" (i ? "\"" last "\"" : "null") ",\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/work/shop\",\"sessionId\":\"5f0c9a34-8f0e-4c1d-9a57-2b6f6f4a7c10\",\"version\":\"2.1.14\",\"type\":\"user\",\"message\":{\"role\":\"user\",\"content\":\"" code(20) "\"},\"uuid\":\"" (last = uuid()) "\",\"timestamp\":\"" moment() "\"}"
		}
	}'
}
inputs messages 300 >"$work/messages.jsonl"
inputs agents 200 >"$work/agents.jsonl"
inputs session 300 >"$work/session.jsonl"

# One thread and no preemption by signals, so that a run repeats.
count() {
	GOMAXPROCS=1 GODEBUG=asyncpreemptoff=1 valgrind --tool=callgrind --callgrind-out-file=/dev/null "$work/handoff" "${@:2}" 2>&1 >/dev/null |
		awk -v name="$1" '/Collected/ { print name "\t" $NF; found = 1 } END { exit !found }'
}
{
	count version version
	count validate validate -q "$work/messages.jsonl"
	count validate-schema validate -q --layers schema "$work/messages.jsonl"
	count canonicalize canonicalize "$work/messages.jsonl"
	count scan-messages scan -q "$work/messages.jsonl"
	count scan-agents scan -q "$work/agents.jsonl"
	count scan-session scan -q "$work/session.jsonl"
} >"$work/numbers"
if [ -n "$record" ]; then
	cp "$work/numbers" "$numbers"
	exit 0
fi
awk -F'\t' '
	NR == FNR { before[$1] = $2; next }
	!($1 in before) { print $1 ": not recorded: run scripts/instructions.sh --record"; failed = 1; next }
	{
		printf "%-16s %12d %12d %6.3f\n", $1, before[$1], $2, $2 / before[$1]
		if ($2 > 1.1 * before[$1]) { print $1 ": more than a tenth above the recorded number"; failed = 1 }
	}
	END { exit failed }' "$numbers" "$work/numbers"
