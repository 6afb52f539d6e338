#!/usr/bin/env bash
# Builds the packages of a release for linux/amd64 as .github/workflows/release.yml does for all
# platforms, and tests them: the configuration is valid, the builds of a commit are identical in any
# folder, the program is not too large, the packages for Debian, RPM and npm install a working program
# and can be removed completely, and the package for Alpine has the same files. If a required program
# is missing, a step reports that and fails.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD

# GOFLAGS could remove the commit from the programs that goreleaser builds.
unset GOFLAGS
goreleaser_version=v2.15.1 # newer versions need modules that some proxies do not serve
tools=${XDG_CACHE_HOME:-$HOME/.cache}/handoff-ci
work=$(mktemp -d)
trap 'chmod -R u+w "$work" && rm -rf "$work"' EXIT

say() { printf -- '-- %s (after %d s)\n' "$*" "$SECONDS"; }
fail() { echo "check-packages: $*" >&2; exit 1; }

goreleaser=$(command -v goreleaser || echo "$tools/goreleaser-$goreleaser_version/goreleaser")
if [ ! -x "$goreleaser" ]; then
  say "goreleaser $goreleaser_version, which takes minutes to build"
  GOBIN=$(dirname "$goreleaser") go install "github.com/goreleaser/goreleaser/v2@$goreleaser_version"
fi

say "the configuration"
"$goreleaser" check --quiet

# build FOLDER UMASK ZONE: builds a snapshot of the commit in a separate clone.
build() {
  git clone --quiet "$root" "$1"
  (
    cd "$1"
    umask "$2"
    export TZ=$3 HANDOFF_ONLY_LINUX_AMD64=1
    "$goreleaser" release --snapshot --clean --skip=publish,sign,sbom,docker,homebrew,scoop >"$1.log" 2>&1
  ) || { tail -n 40 "$1.log"; fail "the snapshot cannot be built"; }
}
say "two snapshots of the commit, at two places"
build "$work/one" 022 UTC
build "$work/another/place" 077 Asia/Kolkata

say "they are the same bytes"
(cd "$work/one/dist" && sha256sum ./*.tar.gz ./*.deb ./*.rpm ./*.apk SHA256SUMS) >"$work/sums"
[ "$(grep -cE '\.(tar\.gz|deb|rpm|apk)$' "$work/sums")" = 4 ] || { cat "$work/sums"; fail "not all packages were built"; }
(cd "$work/another/place/dist" && sha256sum --quiet -c "$work/sums") || fail "the builds differ"

dist=$work/one/dist
archive=$(ls "$dist"/handoff_*_linux_amd64.tar.gz)
version=$(basename "$archive" _linux_amd64.tar.gz)
version=${version#handoff_}
mkdir "$work/unpacked"
tar -xzf "$archive" -C "$work/unpacked"

say "what is in the archive"
for file in handoff handoff-relay LICENSE README.md completions/handoff.bash completions/_handoff completions/handoff.fish completions/handoff.ps1 man/handoff.1 man/handoff-validate.1; do
  [ -s "$work/unpacked/$file" ] || fail "the archive has no $file"
done
"$work/unpacked/handoff" version
"$work/unpacked/handoff" version -f json >"$work/version.json"
# Its version is the one that the Go tools read from the file.
python3 - "$work/version.json" "$(git rev-parse HEAD)" "$work/unpacked/handoff" <<'PYTHON' || fail "version -f json is wrong"
import json, subprocess, sys
says = json.load(open(sys.argv[1]))
lines = [l.split("\t")[1:] for l in subprocess.check_output(["go", "version", "-m", sys.argv[3]], text=True).splitlines()[1:]]
modules = [{"path": l[1], "version": l[2], "sum": l[3]} for l in lines if l[0] == "dep"]
assert modules and says["modules"] == modules, "modules differ"
assert says["commit"] == sys.argv[2], says["commit"]
assert says["date"] and not says["modified"], "the build was not of the commit"
PYTHON

state=$work/state
audited() { XDG_STATE_HOME=$state "$1" audit init >/dev/null || fail "$1 does not find handoff-relay"; rm -rf "$state"; }
audited "$work/unpacked/handoff"

size=$(stat -c %s "$work/unpacked/handoff")
relay=$(stat -c %s "$work/unpacked/handoff-relay")
packed=$(stat -c %s "$archive")
echo "handoff has $((size / 1000000)) MB, handoff-relay $((relay / 1000000)) MB, the archive $((packed / 1000000)) MB"
[ "$size" -lt 26000000 ] || fail "handoff is larger than 26 MB"
[ "$relay" -lt 60000000 ] || fail "handoff-relay is larger than 60 MB"
[ "$packed" -lt 36000000 ] || fail "the archive is larger than 36 MB"

if [ "$(id -u)" = 0 ] && command -v dpkg >/dev/null; then
  say "the Debian package"
  ! dpkg -s handoff >/dev/null 2>&1 || fail "a package handoff is installed here already"
  dpkg -i --no-triggers "$dist"/handoff_*.deb >/dev/null
  trap 'dpkg --no-triggers --purge handoff >/dev/null 2>&1; chmod -R u+w "$work" && rm -rf "$work"' EXIT
  dpkg -L handoff >"$work/files"
  /usr/bin/handoff version
  audited /usr/bin/handoff
  # Files that dpkg is configured to exclude (as in containers) are only listed.
  for file in man/man1/handoff.1.gz man/man1/handoff-validate.1.gz bash-completion/completions/handoff zsh/vendor-completions/_handoff fish/vendor_completions.d/handoff.fish doc/handoff/copyright doc/handoff/changelog.gz; do
    grep -qx "/usr/share/$file" "$work/files" || fail "the package has no $file"
  done
  dpkg-deb --fsys-tarfile "$dist"/handoff_*.deb | tar -xO ./usr/share/man/man1/handoff.1.gz | gzip -dc >"$work/page"
  grep -q '^\.TH HANDOFF 1' "$work/page" || fail "the manual page is not valid"
  bash -c '. /usr/share/bash-completion/completions/handoff && complete -p handoff' >/dev/null || fail "bash has no completion for it"
  dpkg --no-triggers --purge handoff >/dev/null
  while read -r file; do
    case $file in
      */handoff | */handoff/* | *handoff.* | *handoff-*.1.gz | */_handoff) [ ! -e "$file" ] || fail "$file is left behind" ;;
    esac
  done <"$work/files"
else
  echo "the Debian package is not installed: this requires dpkg and root"
fi

# has_files FOLDER PACKAGE: checks the files that RPM and Alpine have beside the program; in Debian, their
# paths differ.
has_files() {
  for file in man/man1/handoff.1.gz man/man1/handoff-validate.1.gz bash-completion/completions/handoff zsh/site-functions/_handoff fish/vendor_completions.d/handoff.fish licenses/handoff/LICENSE; do
    [ -s "$1/usr/share/$file" ] || fail "$2 has no $file"
  done
}

if [ "$(id -u)" = 0 ] && command -v rpm >/dev/null; then
  say "the RPM package"
  package=$(ls "$dist"/handoff*.rpm)
  # It is installed into a folder, because this system has another package database.
  in_folder() { rpm --root "$work/rpm" --dbpath /var/lib/rpm "$@"; }
  mkdir -p "$work/rpm/var/lib/rpm"
  in_folder --initdb
  in_folder --nodeps --nosignature -i "$package"
  in_folder --nodeps -V handoff || fail "the installed files differ from the package"
  "$work/rpm/usr/bin/handoff" version
  audited "$work/rpm/usr/bin/handoff"
  has_files "$work/rpm" "the RPM package"
  in_folder -e handoff
  left=$(find "$work/rpm" -path "$work/rpm/var/lib/rpm" -prune -o -type f -print)
  [ -z "$left" ] || fail "left behind: $left"
else
  echo "the RPM package is not installed: this requires rpm and root"
fi

# Debian has no program for it; such a package is two concatenated archives.
say "the package for Alpine"
mkdir "$work/apk"
tar -xzf "$dist"/handoff*.apk -C "$work/apk" --ignore-zeros 2>/dev/null
grep -qx 'pkgname = handoff' "$work/apk/.PKGINFO" || fail "the package for Alpine has another name"
grep -qx 'arch = x86_64' "$work/apk/.PKGINFO" || fail "the package for Alpine is for another architecture"
cmp "$work/apk/usr/bin/handoff" "$work/unpacked/handoff"
cmp "$work/apk/usr/bin/handoff-relay" "$work/unpacked/handoff-relay"
has_files "$work/apk" "the package for Alpine"

say "the packages for npm"
command -v npm >/dev/null || fail "npm is missing"
node packaging/npm/make.mjs "$dist" "$work/npm" "$version"
mkdir "$work/tarballs" "$work/user"
(
  cd "$work/tarballs"
  for package in "$work"/npm/*/; do npm pack --silent --offline "$package" >/dev/null; done
  cd "$work/user"
  printf '{"private": true}\n' >package.json
  # The package of the platform is installed first, because the other one depends on it.
  npm install --offline --no-audit --no-fund --silent "$work"/tarballs/eaapl-handoff-linux-x64-*.tgz "$work"/tarballs/eaapl-handoff-[0-9]*.tgz
  npx --offline handoff version
  XDG_STATE_HOME=$state npx --offline handoff audit init
  code=0
  printf '{}' | npx --offline handoff validate -q - || code=$?
  [ "$code" = 1 ]
) || fail "the packages for npm do not work"

say "done"
