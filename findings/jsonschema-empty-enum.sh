#!/bin/sh
# Package:  github.com/santhosh-tekuri/jsonschema/v5 5.3.1 (Go) and ajv 8.20.0 (npm)
# Guess:    both reject every value by {"enum": []}: the metaschema of 2020-12 allows an empty array, and
#           validation succeeds only for a value equal to an element (validation, 6.1.2).
# Observed: jsonschema/v5 accepts every value. ajv does not compile the schema, in draft 2020-12 too.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/santhosh-tekuri/jsonschema/v5@v5.3.1 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v5"
)

func main() {
	schema := jsonschema.MustCompileString("schema.json", `{"enum": []}`)
	fmt.Println("jsonschema/v5", schema.Validate("any"), schema.Validate(nil))
}
GO
go run . >observed
npm install --silent --no-audit --no-fund ajv@8.20.0
cat >ajv.mjs <<'JS'
import { Ajv2020 } from "ajv/dist/2020.js";
try {
  console.log("ajv", new Ajv2020().compile({ enum: [] })("any"));
} catch (error) {
  console.log("ajv", error.message);
}
JS
node ajv.mjs >>observed
cat observed
cat >expected <<'TEXT'
jsonschema/v5 <nil> <nil>
ajv enum must have non-empty array
TEXT
diff expected observed
