#!/bin/sh
# Runs all findings, or those in the arguments, one after another: findings/run.sh [NAME.sh]...
# Prints PASS, FAIL or SKIP (status 77: a server is missing) for each one, and the output of those that do not
# pass. Exits with 1 if one fails.
set -u
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- *.sh
output=$(mktemp)
trap 'rm -f "$output"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0
for script; do
  [ "$script" != run.sh ] || continue
  sh "./$script" >"$output" 2>&1 </dev/null
  case $? in
  0) echo "PASS $script" && passed=$((passed + 1)) && continue ;;
  77) echo "SKIP $script" && skipped=$((skipped + 1)) ;;
  *) echo "FAIL $script" && failed=$((failed + 1)) ;;
  esac
  sed 's/^/    /' "$output"
done
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
