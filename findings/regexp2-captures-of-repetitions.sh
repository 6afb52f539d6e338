#!/bin/sh
# Package:  github.com/dlclark/regexp2/v2 2.5.1 (Go), option ECMAScript; Node.js as the reference
# Guess:    with the option ECMAScript, a group inside a repetition has no capture after an iteration that
#           does not pass it, as in ECMA-262 (RepeatMatcher, step 4), so a back-reference to it matches "".
# Observed: the option keeps the capture of the earlier iteration, as .NET does. ^(?:(a)|b)*\1$ matches "ab"
#           in JavaScript, and "aba" in regexp2.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/dlclark/regexp2/v2@v2.5.1 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/dlclark/regexp2/v2"
)

func main() {
	for _, text := range []string{"ab", "ba", "aba"} {
		matched, err := regexp2.MustCompile(`^(?:(a)|b)*\1$`, regexp2.ECMAScript).MatchString(text)
		fmt.Println("regexp2", text, matched, err)
	}
}
GO
go run . >observed
node -e 'for (const text of ["ab", "ba", "aba"]) console.log("node", text, /^(?:(a)|b)*\1$/u.test(text))' >>observed
cat observed
cat >expected <<'TEXT'
regexp2 ab false <nil>
regexp2 ba false <nil>
regexp2 aba true <nil>
node ab true
node ba false
node aba false
TEXT
diff expected observed
