#!/usr/bin/env bash
# Compares the table of part types (pkg/conversation/types.go) with the unions of the newest SDKs: prints
# their versions and the types without a row. The exit code is 1 if there are any, or if a union is gone.
set -euo pipefail
cd "$(dirname "$0")/../testdata/oracles"

saved=$(mktemp -d)
cp package.json package-lock.json "$saved"
trap 'cp "$saved"/* .; rm -r "$saved"' EXIT
trap 'exit 2' HUP INT TERM

mapfile -t packages < <(sed -n 's/^import type .* from "\(@[^/]*\/[^/"]*\|[^@/"]*\).*/\1/p' unions.mjs)
npm install --package-lock-only --save-exact "${packages[@]/%/@latest}" >&2
for package in "${packages[@]}"; do
  echo "$package $(npm pkg get "dependencies.$package" | tr -d '"')"
done
cd ../..
CI=true FULL_TESTS=1 go test ./pkg/conversation -run '^TestUnions$' -count=1
