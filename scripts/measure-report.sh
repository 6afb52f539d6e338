#!/usr/bin/env bash
# Measures, for docs/performance.md, the time until the page of internal/viewer can be used in Chromium, with 1,000
# and with 10,000 handoffs, each in a new browser; and the time to write the page.
#
#     scripts/measure-report.sh
set -euo pipefail
cd "$(dirname "$0")/.."

command -v chromium >/dev/null || { echo "chromium is not on PATH: apt-get install chromium"; exit 2; }
chromium --version 2>/dev/null
go version
grep -m 1 'model name' /proc/cpuinfo || true
HANDOFF_MEASURE=1 go test ./internal/viewer -count 1 -run 'TestReadySoon' -v | grep -E 'large_test|FAIL|^ok'
go test ./internal/viewer -run '^$' -bench 'BenchmarkWrite' -benchtime 5x
