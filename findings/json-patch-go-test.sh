#!/bin/sh
# Package:  github.com/evanphx/json-patch/v5 v5.9.11 (Go); rfc6902 5.4.0 (npm) as the reference
# Guess:    the operation "test" succeeds for an equal number, such as 20 for 20.0, because RFC 6902 compares
#           numbers by their values (4.6). It fails for null if there is no such member, because its target has to
#           exist.
# Observed: it fails for 20.0 and for 2e1, and succeeds for null without the member. In rfc6902, it does as expected.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/evanphx/json-patch/v5@v5.9.11 >get 2>&1
npm install --silent --no-audit --no-fund rfc6902@5.4.0
cat >cases.json <<'JSON'
[
  {"document": "{\"total\":20}", "patch": "[{\"op\":\"test\",\"path\":\"/total\",\"value\":20}]"},
  {"document": "{\"total\":20}", "patch": "[{\"op\":\"test\",\"path\":\"/total\",\"value\":21}]"},
  {"document": "{\"total\":20.0}", "patch": "[{\"op\":\"test\",\"path\":\"/total\",\"value\":20}]"},
  {"document": "{\"total\":20}", "patch": "[{\"op\":\"test\",\"path\":\"/total\",\"value\":2e1}]"},
  {"document": "{\"coupon\":null}", "patch": "[{\"op\":\"test\",\"path\":\"/coupon\",\"value\":null}]"},
  {"document": "{}", "patch": "[{\"op\":\"test\",\"path\":\"/coupon\",\"value\":null}]"},
  {"document": "{}", "patch": "[{\"op\":\"test\",\"path\":\"/coupon\",\"value\":\"\"}]"}
]
JSON
cat >reference.mjs <<'JS'
import { readFileSync } from "node:fs";
import { applyPatch } from "rfc6902";
for (const { document, patch } of JSON.parse(readFileSync("cases.json"))) {
  const [error] = applyPatch(JSON.parse(document), JSON.parse(patch));
  console.log("rfc6902:", document, patch, !error);
}
JS
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"
	"os"

	jsonpatch "github.com/evanphx/json-patch/v5"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	text, err := os.ReadFile("cases.json")
	check(err)
	var cases []struct{ Document, Patch string }
	check(json.Unmarshal(text, &cases))
	for _, c := range cases {
		patch, err := jsonpatch.DecodePatch([]byte(c.Patch))
		check(err)
		_, err = patch.Apply([]byte(c.Document))
		fmt.Println("json-patch:", c.Document, c.Patch, err == nil)
	}
}
GO
node reference.mjs >observed
go run . >>observed
cat observed
cat >expected <<'TEXT'
rfc6902: {"total":20} [{"op":"test","path":"/total","value":20}] true
rfc6902: {"total":20} [{"op":"test","path":"/total","value":21}] false
rfc6902: {"total":20.0} [{"op":"test","path":"/total","value":20}] true
rfc6902: {"total":20} [{"op":"test","path":"/total","value":2e1}] true
rfc6902: {"coupon":null} [{"op":"test","path":"/coupon","value":null}] true
rfc6902: {} [{"op":"test","path":"/coupon","value":null}] false
rfc6902: {} [{"op":"test","path":"/coupon","value":""}] false
json-patch: {"total":20} [{"op":"test","path":"/total","value":20}] true
json-patch: {"total":20} [{"op":"test","path":"/total","value":21}] false
json-patch: {"total":20.0} [{"op":"test","path":"/total","value":20}] false
json-patch: {"total":20} [{"op":"test","path":"/total","value":2e1}] false
json-patch: {"coupon":null} [{"op":"test","path":"/coupon","value":null}] true
json-patch: {} [{"op":"test","path":"/coupon","value":null}] true
json-patch: {} [{"op":"test","path":"/coupon","value":""}] false
TEXT
diff expected observed
