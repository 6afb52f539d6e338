#!/usr/bin/env bash
# Creates docs/report-light.png and docs/report-dark.png, the pictures of the README: a page of handoff
# report with messages derived from the example. Needs Go, jq and Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
go build -o "$work/" . ./relay/handoff-relay

# Nine handoffs of one task between five agents, with a fork, and with losses at two boundaries.
"$work/handoff" example | jq -c '
  . as $first
  | ["planner", "researcher", "writer", "reviewer", "publisher"] as $agents
  | ["Plan the review of the contract", "Find the clauses about liability", "Summarise what they say", "Check the summary against the clauses", "Publish the summary",
     "Find what changed since the last version", "Write the changes down", "Check the list of changes", "Publish the list"] as $tasks
  | def id($n): "6e7f936b-cafd-4624-8754-0bafc4e8a10\($n)";
    range(9) as $n
  | $first
  | .handoffId = id($n)
  | .parentHandoffId = (if $n == 0 then null elif $n == 5 then id(1) else id($n - 1) end)
  | .fromAgent.agentId = $agents[if $n == 5 then 2 else $n % 5 end]
  | .toAgent = {agentType: $agents[if $n == 5 then 1 elif $n == 1 then 2 else ($n + 1) % 5 end]}
  | .fromAgent.agentId = (if $n > 5 then $agents[$n - 5] else . .fromAgent.agentId end)
  | .toAgent.agentType = (if $n > 5 then $agents[$n - 4] // "planner" else .toAgent.agentType end)
  | .timestamp = "2026-06-12T09:\(30 + 3 * $n + (if $n > 4 then -6 else 0 end)):00Z"
  | .taskDescription = $tasks[$n]
  | .currentState.step = $n
  | .costTracking.costSpentSoFarUSD = (10 + 7 * $n) / 100
  | .costTracking.costBudgetRemainingUSD = (500 - 7 * $n) / 100
  | .costTracking.tokenSpent = {prompt: (8000 + 2100 * $n), completion: (1200 + 350 * $n)}
  | if $n == 3 then .remainingSubtasks |= .[:1] else . end
  | if $n == 7 then .constraints |= .[:0] else . end
  | .traceparent |= sub("-[0-9a-f]{16}-"; "-339e5d4c0d9f477\($n)-")
  | del(.signature, .signatureKeyId)
' >"$work/review.jsonl"

(cd "$work" && ./handoff report review.jsonl --title "The review of a contract" -o report.html)
for theme in light dark; do
  scheme=1
  [ "$theme" = light ] || scheme=0
  chromium --headless --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=3000 --force-device-scale-factor=1.5 \
    --blink-settings=preferredColorScheme=$scheme --window-size=1280,720 --screenshot="docs/report-$theme.png" \
    "file://$work/report.html#handoff=6e7f936b-cafd-4624-8754-0bafc4e8a103&tab=changes" 2>/dev/null
done
ls -l docs/report-*.png
