#!/usr/bin/env bash
# How soon the page of pkg/viewer can be used, with 1,000 and with 10,000 handoffs, in Chromium, each time in a
# new one; and how fast it is written. For docs/performance.md.
#
#     scripts/measure-report.sh
set -euo pipefail
cd "$(dirname "$0")/.."

command -v chromium >/dev/null || { echo "chromium is not on PATH: apt-get install chromium"; exit 2; }
chromium --version 2>/dev/null
go version
grep -m 1 'model name' /proc/cpuinfo || true
HANDOFF_MEASURE=1 go test ./pkg/viewer -count 1 -run 'TestReadySoon' -v | grep -E 'large_test|FAIL|^ok'
go test ./pkg/viewer -run '^$' -bench 'BenchmarkWrite' -benchtime 5x
