#!/usr/bin/env bash
# Measures the times of docs/cookbook.md: scripts/measure-cookbook.sh
#
# Clones this repository, builds it, and runs each task in an empty folder, like a new user. Prints
# the times of the build and of each task's commands, and failures.
set -euo pipefail
source=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
TIMEFORMAT=%R
git clone -q "$source" "$work/clone"
mkdir "$work/bin" "$work/home" "$work/tasks"
build=$({ time (cd "$work/clone" && go build -o "$work/bin/" . ./relay/handoff-relay); } 2>&1)
echo "build $build s"

export PATH=$work/bin:$PATH HOME=$work/home
awk -v dir="$work/tasks" '
  /^## / { task = sprintf("%s/%02d", dir, ++n); print substr($0, 4) > (task ".title") }
  /^```$/ { inside = 0 }
  inside { print > (task ".sh") }
  /^```sh$/ { inside = 1 }' "$work/clone/docs/cookbook.md"
for task in "$work"/tasks/*.sh; do
  folder=${task%.sh}
  mkdir "$folder" && cd "$folder"
  elapsed=$({ time sh -u "$task" >out 2>&1; } 2>&1) || true
  ! grep -qE 'not found|No such file|has no (flag|command)' out || { echo "failed: $(cat "$folder.title")"; cat out; exit 1; }
  echo "$(cat "$folder.title"): $elapsed s"
done
