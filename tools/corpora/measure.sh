#!/usr/bin/env bash
# Measures a program on the sets that corpora wrote: the rate of messages and texts that
# scan flags, and the share of labelled facts that trim keeps at 8:1 of text, beside
# sentences chosen by chance and by LexRank; by source, the worst first.
#
# usage: measure.sh PATH/TO/handoff DIR [-trims N] [SET]...
set -euo pipefail
handoff=$(realpath "$1"); sets=$(realpath "$2"); shift 2
cd "$(dirname "$0")/.."
exec go run ./corpora -measure "$handoff" -o "$sets" "$@"
