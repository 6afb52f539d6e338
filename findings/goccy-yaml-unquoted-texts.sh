#!/bin/sh
# Package:  github.com/goccy/go-yaml v1.19.2 (Go), whose YAML is read by yaml 2.9.1 and js-yaml 5.5.0 (npm)
# Guess:    a text that Marshal writes is read as the same text, by itself and by others: a text that would be a number
#           or a sign of YAML is quoted, as "17", "true" and "-" are.
# Observed: the texts 1e3 and 4e7, as the start of a commit's id may be, are written without quotes. It reads them as
#           texts itself, and the others as numbers. All read .inf as a number, and lose a tab at the beginning. The
#           text "?" makes a document that the others refuse.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
npm install --silent --no-audit --no-fund yaml@2.9.1 js-yaml@5.5.0
go mod init example.com/finding >init 2>&1
go get github.com/goccy/go-yaml@v1.19.2 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"

	"github.com/goccy/go-yaml"
)

func main() {
	for _, text := range []string{"17", "true", "-", "4e7", "1e3", ".inf", "\tindented", "?"} {
		document, err := yaml.Marshal(map[string]string{"commit": text})
		if err != nil {
			panic(err)
		}
		var read map[string]any
		itself := "an error"
		if err := yaml.Unmarshal(document, &read); err == nil {
			itself = fmt.Sprintf("%T %q", read["commit"], fmt.Sprint(read["commit"]))
		}
		line, _ := json.Marshal([]string{text, string(document), itself})
		fmt.Println(string(line))
	}
}
GO
go run . >documents 2>log || { cat log && exit 1; }
cat >read.mjs <<'JS'
import { readFileSync } from "node:fs";
import * as jsYaml from "js-yaml";
import { parse } from "yaml";
for (const line of readFileSync("documents", "utf8").trim().split("\n")) {
  const [text, document, itself] = JSON.parse(line);
  const read = (parse) => {
    try {
      const { commit } = parse(document);
      return `${typeof commit} ${JSON.stringify(String(commit))}`;
    } catch {
      return "an error";
    }
  };
  console.log("text", JSON.stringify(text), "written", JSON.stringify(document), "goccy:", itself, "yaml:", read(parse), "js-yaml:", read(jsYaml.load));
}
JS
node read.mjs >observed
cat observed
cat >expected <<'TEXT'
text "17" written "commit: \"17\"\n" goccy: string "17" yaml: string "17" js-yaml: string "17"
text "true" written "commit: \"true\"\n" goccy: string "true" yaml: string "true" js-yaml: string "true"
text "-" written "commit: \"-\"\n" goccy: string "-" yaml: string "-" js-yaml: string "-"
text "4e7" written "commit: 4e7\n" goccy: string "4e7" yaml: number "40000000" js-yaml: number "40000000"
text "1e3" written "commit: 1e3\n" goccy: string "1e3" yaml: number "1000" js-yaml: number "1000"
text ".inf" written "commit: .inf\n" goccy: float64 "+Inf" yaml: number "Infinity" js-yaml: number "Infinity"
text "\tindented" written "commit: \tindented\n" goccy: string "indented" yaml: string "indented" js-yaml: string "indented"
text "?" written "commit: ?\n" goccy: string "?" yaml: an error js-yaml: an error
TEXT
diff expected observed
