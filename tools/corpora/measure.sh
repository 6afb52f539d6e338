#!/usr/bin/env bash
# Measures a program on the sets that corpora wrote: the rate of messages and texts that
# scan flags, and the share of labelled facts that trim keeps at a ratio of 8:1, compared with
# random sentences and those of LexRank; by source, worst first.
#
# usage: measure.sh PATH/TO/handoff DIR [-trims N] [SET]...
set -euo pipefail
handoff=$(realpath "$1"); sets=$(realpath "$2"); shift 2
cd "$(dirname "$0")/.."
exec go run ./corpora -measure "$handoff" -o "$sets" "$@"
