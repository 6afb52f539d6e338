#!/usr/bin/env bash
# Runs the Windows program under wine: version, files and standard input, paths with backslashes, exit
# codes, and an audit log in SQLite. If wine is missing and cannot be installed, or cannot run Go
# programs, it reports that and succeeds: .github/workflows/ci.yml runs the tests on Windows itself.
set -euo pipefail
cd "$(dirname "$0")/.."

left_out() { echo "check-windows: left out: $*"; exit 0; }
wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64 2>/dev/null || true)
if [ -z "$wine" ]; then
  { [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; } || left_out "there is no wine"
  { apt-get install -y --no-install-recommends wine64 || { apt-get update && apt-get install -y --no-install-recommends wine64; }; } >/dev/null 2>&1 || left_out "wine64 cannot be installed"
  wine=$(command -v wine64 || command -v wine || ls /usr/lib/wine/wine64)
fi

work=$(mktemp -d)
export WINEPREFIX=$work/prefix WINEDEBUG=-all WINEDLLOVERRIDES='mscoree=;mshtml=;winemenubuilder.exe=' DISPLAY=
stop() {
  "$(dirname "$(readlink -f "$wine")")/wineserver64" -k 2>/dev/null || "$(dirname "$(readlink -f "$wine")")/wineserver" -k 2>/dev/null || true
  rm -rf "$work"
}
trap stop EXIT

# The programs are temporary, so they are built without optimisation, in seconds.
GOFLAGS="${GOFLAGS-} -buildvcs=false" CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go build -gcflags="all=-N -l" -o "$work/" . ./relay/handoff-relay
cp schemas/examples/message.json "$work/message.json"
printf '{}' >"$work/wrong.json"
cd "$work"

# Wine has bcryptprimitives.dll, which Go needs for random bytes, since version 9.0. For older versions,
# this library forwards its only function to the same function of another library.
"$wine" wineboot -i >/dev/null 2>&1 || left_out "wine does not start"
if [ ! -e "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" ]; then
  linker=x86_64-w64-mingw32-ld
  command -v $linker >/dev/null || { [ "$(id -u)" = 0 ] && apt-get install -y --no-install-recommends binutils-mingw-w64-x86-64 >/dev/null 2>&1; } ||
    left_out "this wine lacks bcryptprimitives.dll, and binutils-mingw-w64-x86-64 is not there to make one"
  printf 'LIBRARY bcryptprimitives.dll\nEXPORTS\nProcessPrng = ADVAPI32.SystemFunction036\n' >random.def
  $linker -shared -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" random.def
fi

fail() { echo "check-windows: $*" >&2; exit 1; }
# run CODE ARGUMENT...: runs the program, which must end with the exit code; its output is in out.
run() {
  local want=$1 got=0
  shift
  timeout 120 "$wine" handoff.exe "$@" >out 2>err || got=$?
  [ "$got" = "$want" ] || { cat out err; fail "handoff $*: exit code $got, want $want"; }
}
says() { grep -q -- "$1" out || { cat out err; fail "the output has no $1"; }; }

if ! timeout 300 "$wine" handoff.exe version >out 2>err; then
  cat err
  left_out "$("$wine" --version 2>/dev/null || echo wine) does not run a program of $(go env GOVERSION)"
fi
says 'windows/amd64'
run 0 validate message.json
run 1 validate wrong.json
run 2 validate absent.json
run 2 --nonsense
run 0 validate - <message.json
run 1 validate 'Z:'"${work//\//\\}"'\wrong.json'
mkdir -p 'folder/below'
cp message.json folder/below/
run 0 validate 'folder\below\message.json'
run 0 validate folder
run 0 accept --audit-log 'folder\audit.db' message.json
run 0 audit list --audit-log 'folder\audit.db'
says 'ACCEPTED'
run 0 audit verify --audit-log 'folder\audit.db'
run 0 doctor --audit-log 'folder\audit.db'
says '^ok    audit log'
echo "check-windows: $("$wine" --version): version, validate, standard input, backslashes, exit codes, an audit log, doctor (after $SECONDS s)"
