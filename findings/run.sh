#!/bin/sh
# Runs all findings, or those in the arguments, one after another: findings/run.sh [NAME.sh]...
# Prints PASS or FAIL for each one, and the output of those that fail. Exits with 1 if one fails.
set -u
cd "$(dirname "$0")" || exit 1
[ $# -gt 0 ] || set -- *.sh
output=$(mktemp)
trap 'rm -f "$output"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0
for script; do
  [ "$script" != run.sh ] || continue
  if sh "./$script" >"$output" 2>&1 </dev/null; then
    echo "PASS $script"
    passed=$((passed + 1))
  else
    echo "FAIL $script"
    sed 's/^/    /' "$output"
    failed=$((failed + 1))
  fi
done
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
