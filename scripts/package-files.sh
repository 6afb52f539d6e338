#!/bin/sh
# Creates the other files of packages: the manual page, and the changelog in Debian's form. They depend
# only on the commit.
set -eu
umask 022
cd "$(dirname "$0")/.."
rm -rf packaging/build
mkdir -p packaging/build
CGO_ENABLED=0 GOOS='' GOARCH='' go run -trimpath -ldflags='-s -w -buildid=' . man >packaging/build/handoff.1
gzip -9n <packaging/build/handoff.1 >packaging/build/handoff.1.gz
gzip -9n <CHANGELOG.md >packaging/build/changelog.gz
