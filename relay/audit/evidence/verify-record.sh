# usage: sh verify-record.sh RECORD.json RECORD.tlog-proof PUBLIC.pem
set -eu
record=$1 proof=$2 key=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
fail() { echo "not proven: $1" >&2; exit 1; }
number() { case $1 in '' | *[!0-9]* | 0?* | ?????????????????*) fail "not a number: $1" ;; esac; }
hash() { openssl dgst -sha256 -binary | openssl base64 -A; }
decode() { printf %s "$1" | openssl base64 -d -A; }

# The proof ends at the first empty line, the signed text at the second.
sed '/^$/,$d' "$proof" >"$dir/head"
sed '1,/^$/d' "$proof" >"$dir/checkpoint"
sed '/^$/,$d' "$dir/checkpoint" >"$dir/body"
[ "$(sed -n 1p "$dir/head")" = c2sp.org/tlog-proof@v1 ] || fail "the format is not c2sp.org/tlog-proof@v1"
[ "$(wc -l <"$dir/body")" -eq 3 ] || fail "the proof has no valid checkpoint"
origin=$(sed -n 1p "$dir/body") size=$(sed -n 2p "$dir/body") root=$(sed -n 3p "$dir/body")
sed '1d; /^extra /d' "$dir/head" >"$dir/path"
index=$(sed -n '1s/^index //p' "$dir/path")
number "$size"
number "$index"
[ "$index" -lt "$size" ] || fail "record $index is not one of $size records"

# One of the signatures is the key's. The first four bytes are the key's id.
sed '1,/^$/d' "$dir/checkpoint" | while read -r _ _ signature; do
  decode "$signature" | tail -c +5 >"$dir/signature"
  if openssl pkeyutl -verify -pubin -inkey "$key" -rawin -in "$dir/body" -sigfile "$dir/signature" >"$dir/answer" 2>&1; then
    touch "$dir/signed"
  fi
done
[ -e "$dir/signed" ] || fail "the key has not signed the checkpoint"

# The path from the leaf to the root (RFC 9162, section 2.1.3.2).
node=$({ printf '\000'; openssl dgst -sha256 -binary "$record"; } | hash)
n=$index last=$((size - 1))
for sibling in $(sed 1d "$dir/path"); do
  [ "$last" -gt 0 ] || fail "the path is too long"
  if [ $((n % 2)) -eq 1 ] || [ "$n" -eq "$last" ]; then
    node=$({ printf '\001'; decode "$sibling"; decode "$node"; } | hash)
    while [ $((n % 2)) -eq 0 ] && [ "$n" -gt 0 ]; do n=$((n / 2)) last=$((last / 2)); done
  else
    node=$({ printf '\001'; decode "$node"; decode "$sibling"; } | hash)
  fi
  n=$((n / 2)) last=$((last / 2))
done
[ "$last" -eq 0 ] && [ "$node" = "$root" ] || fail "the path does not lead to the root"
echo "record $index of $size in $origin: $(sha256sum <"$record" | cut -d ' ' -f 1)"
