#!/bin/sh
# Prints the part of CHANGELOG.md about a version: release-notes.sh VERSION
set -eu
awk -v heading="## [$1]" '
  /^## / { inside = index($0, heading) == 1; found = found || inside; next }
  /^\[[^]]*\]: / { inside = 0 }
  inside { print }
  END { if (!found) { print "CHANGELOG.md has no " heading > "/dev/stderr"; exit 1 } }
' "$(dirname "$0")/../CHANGELOG.md"
