#!/usr/bin/env bash
# Prints the Nth code block of the README, so that tests run its text.
#
# usage: readme-command.sh N
set -euo pipefail
awk -v n="$1" '/^```/ { inside = !inside; if (inside) block++; next } inside && block == n' "$(dirname "$0")/../README.md"
