#!/bin/sh
# Package:  gopkg.in/yaml.v3 v3.0.1 (Go), whose YAML is read by yaml 2.9.1 and js-yaml 5.5.0 (npm)
# Guess:    a text that begins with an empty line or with blanks, as models write it, is read as it was written, by
#           yaml.v3 itself and by others, also in a list.
# Observed: in a list, the number of blanks in its header, as in "|4-", is not that of its lines, so that no reader,
#           yaml.v3 itself included, accepts the document. There is no error when it is written. In a map it is
#           read, but the empty line is lost.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
npm install --silent --no-audit --no-fund yaml@2.9.1 js-yaml@5.5.0
go mod init example.com/finding >init 2>&1
go get gopkg.in/yaml.v3@v3.0.1 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"

	"gopkg.in/yaml.v3"
)

func main() {
	for _, text := range []string{"I look.\nDone.", "\nI look.", "  I look.\nDone."} {
		for _, value := range []any{map[string]any{"said": text}, map[string]any{"said": []string{text}}, map[string]any{"log": []any{map[string]any{"said": text}}}} {
			document, err := yaml.Marshal(value)
			if err != nil {
				panic(err)
			}
			var read any
			itself := "an error"
			if err := yaml.Unmarshal(document, &read); err == nil {
				json, _ := json.Marshal(read)
				itself = string(json)
			}
			want, _ := json.Marshal(value)
			line, _ := json.Marshal([]string{string(want), string(document), itself})
			fmt.Println(string(line))
		}
	}
}
GO
go run . >documents 2>log || { cat log && exit 1; }
cat >read.mjs <<'JS'
import { readFileSync } from "node:fs";
import * as jsYaml from "js-yaml";
import { parse } from "yaml";
for (const line of readFileSync("documents", "utf8").trim().split("\n")) {
  const [want, document, itself] = JSON.parse(line);
  const result = (json) => (json === want ? "the same" : json);
  const read = (parse) => {
    try {
      return result(JSON.stringify(parse(document)));
    } catch {
      return "an error";
    }
  };
  console.log(JSON.stringify(document), "yaml.v3:", result(itself), "yaml:", read(parse), "js-yaml:", read(jsYaml.load));
}
JS
node read.mjs >observed
cat observed
cat >expected <<'TEXT'
"said: |-\n    I look.\n    Done.\n" yaml.v3: the same yaml: the same js-yaml: the same
"said:\n    - |-\n      I look.\n      Done.\n" yaml.v3: the same yaml: the same js-yaml: the same
"log:\n    - said: |-\n        I look.\n        Done.\n" yaml.v3: the same yaml: the same js-yaml: the same
"said: |4-\n    I look.\n" yaml.v3: {"said":"I look."} yaml: {"said":"I look."} js-yaml: {"said":"I look."}
"said:\n    - |4-\n      I look.\n" yaml.v3: an error yaml: an error js-yaml: an error
"log:\n    - said: |4-\n        I look.\n" yaml.v3: an error yaml: an error js-yaml: an error
"said: |4-\n      I look.\n    Done.\n" yaml.v3: the same yaml: the same js-yaml: the same
"said:\n    - |4-\n        I look.\n      Done.\n" yaml.v3: an error yaml: an error js-yaml: an error
"log:\n    - said: |4-\n          I look.\n        Done.\n" yaml.v3: an error yaml: an error js-yaml: an error
TEXT
diff expected observed
