#!/bin/sh
# Creates the other files of packages: the manual pages, and the changelog in Debian's form. They depend
# only on the commit.
set -eu
umask 022
cd "$(dirname "$0")/.."
rm -rf packaging/build
mkdir -p packaging/build
CGO_ENABLED=0 GOOS='' GOARCH='' go run -trimpath -ldflags='-s -w -buildid=' . man --install --dir packaging/build/man1
gzip -9nk packaging/build/man1/*.1
mkdir packaging/build/man1.gz
mv packaging/build/man1/*.gz packaging/build/man1.gz
gzip -9n <CHANGELOG.md >packaging/build/changelog.gz
