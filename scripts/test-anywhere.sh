#!/usr/bin/env bash
# Runs the tests in a hostile environment: as an unprivileged user, in a read-only checkout whose path
# has a space, without HOME, terminal or standard input, with signals ignored as by nohup and by "&" in
# a script, with one core, with another umask, locale and time zone, and with every variable set that
# handoff or the programs of the tests read.
#
# usage: test-anywhere.sh [PACKAGE or flag of go test]...
#
# Without arguments, it runs the test command of the README. With TEST_COSTS=FILE, it appends the costs of
# each package to the file (.ci/exec).
#
# The go command itself runs in the usual environment, with its cache, and starts each test program
# through this script. As root the script needs setpriv and the user nobody. Otherwise the tests run
# as the current user.
set -euo pipefail

# go test -exec calls: test-anywhere.sh PROGRAM ARG..., in the folder of the package.
if [ -n "${TEST_ANYWHERE-}" ]; then
  work=$TEST_ANYWHERE
  cd "$work/a checkout/handoff/${PWD#"$TEST_ANYWHERE_OF"}"
  program=$(mktemp -d "$work/programs/XXXXXX")/${1##*/} # only root can read go test's folder
  ln "$1" "$program" 2>/dev/null || cp "$1" "$program"
  chmod 755 "${program%/*}" "$program"
  user=()
  [ "$(id -u)" != 0 ] || user=(setpriv --reuid nobody --regid nogroup --clear-groups)
  umask 077
  (
    trap '' HUP INT QUIT PIPE
    exec env -i PATH="$PATH" ${CI:+CI="$CI"} TMPDIR="$work/a folder" XDG_CACHE_HOME="$work/cache" \
      GOCACHE="$work/go-build" GOMODCACHE="$work/mod" GOPATH="$work/go" GOFLAGS="-mod=mod -trimpath" CGO_ENABLED=0 GOTOOLCHAIN=local GOMAXPROCS=1 \
      TZ=Pacific/Chatham LANG=de_DE.UTF-8 LC_ALL=tr_TR.UTF-8 \
      XDG_CONFIG_HOME=/nonexistent XDG_STATE_HOME=/nonexistent CODEX_HOME=/nonexistent CLAUDE_CONFIG_DIR=/nonexistent \
      HANDOFF_FORMAT=nonsense HANDOFF_MAX_SIZE=nonsense HANDOFF_COLOR=always HANDOFF_QUIET=true HANDOFF_KEY=nonsense HANDOFF_TOKEN=nonsense \
      FORCE_COLOR=1 CLICOLOR_FORCE=1 COLUMNS=31 TERM=xterm SHELL=/bin/false EDITOR=false PAGER=false \
      http_proxy=http://127.0.0.1:1 https_proxy=http://127.0.0.1:1 HTTPS_PROXY=http://127.0.0.1:1 \
      TRACEPARENT=nonsense OPENAI_API_KEY=nonsense GIT_DIR=/nonexistent GIT_WORK_TREE=/nonexistent GIT_PAGER_IN_USE=1 \
      PGUSER=nonsense PGDATABASE=nonsense PGSSLMODE=require \
      "${user[@]}" setsid --wait "$program" "${@:2}" <&-
  ) &
  trap 'kill -KILL $!' HUP INT TERM # the program ignores these signals
  code=0
  wait $! || code=$?
  rm -r "${program%/*}"
  exit "$code"
fi

cd -P "$(dirname "$0")/.."
root=$PWD
work=$(mktemp -d)
trap 'chmod -R u+w "$work/a checkout"; rm -rf "$work" || { sleep 1; rm -rf "$work"; }' EXIT
chmod 755 "$work"
mkdir -p "$work/a checkout/handoff" "$work/a folder" "$work/programs" "$work/cache"
git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do [ ! -e "$file" ] || printf '%s\0' "$file"; done |
  tar -c --null -T - | tar -x --no-same-owner -C "$work/a checkout/handoff"
[ ! -d ../shared ] || ln -s "$(realpath ../shared)" "$work/a checkout/shared"
# Some tests run the go command or the SDKs of other systems. Their caches belong to root and are not
# readable, so the tests get hard links to them. With -trimpath the build cache does not depend on the
# folder of the checkout.
CGO_ENABLED=0 go list -trimpath -export ./... >/dev/null
said=$(go test -count=1 -run '^TestInstall$' ./internal/oracle) || { echo "$said"; exit 1; }
links() {
  [ "$(id -u)" = 0 ] || { ln -s "$1" "$2"; return; }
  cp -al "$1" "$2" 2>/dev/null || { rm -rf "$2" && cp -a "$1" "$2"; } # if it is on another file system
}
links "$(go env GOCACHE)" "$work/go-build"
links "$(go env GOMODCACHE)" "$work/mod"
oracles=${XDG_CACHE_HOME:-${HOME-/nonexistent}/.cache}/handoff-oracles
[ ! -d "$oracles" ] || links "$oracles" "$work/cache/handoff-oracles"
chmod -R a+rX,a-w "$work/a checkout"
if [ "$(id -u)" = 0 ]; then
  rm -rf "$work"/cache/handoff-oracles/{*.lock,*/scripts-*} # tests write these files
  find "$work/go-build" "$work/mod" "$work/cache" -type f ! -perm -o+r -exec sh -c 'cp "$1" "$1~" && chmod 644 "$1~" && mv "$1~" "$1"' . {} \;
  find "$work/go-build" "$work/mod" "$work/cache" -type d -exec chown nobody {} +
  chown nobody "$work/a folder"
fi
export TEST_ANYWHERE=$work TEST_ANYWHERE_OF=$root
run="'$root/scripts/test-anywhere.sh'"
[ -z "${TEST_COSTS-}" ] || run="'$root/.ci/exec' $run"
# The tests wait for a third of their time, so run one package more than there are cores.
export GOFLAGS="${GOFLAGS-} -count=1 -vet=off -p=$(($(nproc) + 1)) \"-exec=$run\""
if [ $# -gt 0 ]; then
  go test "$@"
else
  sh -euc "$(scripts/readme-command.sh 2)"
fi
