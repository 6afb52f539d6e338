#!/bin/sh
# Package:  github.com/invopop/jsonschema v0.14.0 with github.com/santhosh-tekuri/jsonschema/v5 v5.3.1 (Go)
# Guess:    the schema that Reflect makes of a type accepts the JSON that encoding/json writes of its values: a number for
#           json.Number and *big.Int, and any integer as a key of a map[int]string.
# Observed: it wants a text for json.Number, an object without members for *big.Int, and keys without a sign, so that it
#           refuses each of these values. json.RawMessage, []byte and a number with ",string" are accepted.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/invopop/jsonschema@v0.14.0 github.com/santhosh-tekuri/jsonschema/v5@v5.3.1 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/big"

	"github.com/invopop/jsonschema"
	validator "github.com/santhosh-tekuri/jsonschema/v5"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	reflector := jsonschema.Reflector{DoNotReference: true}
	for _, value := range []any{
		&struct{ V json.RawMessage }{json.RawMessage(`{"order":17}`)},
		&struct{ V []byte }{[]byte("order 17")},
		&struct {
			V int64 `json:",string"`
		}{17},
		&struct{ V map[int]string }{map[int]string{17: "lamp"}},
		&struct{ V map[int]string }{map[int]string{-1: "lamp"}},
		&struct{ V json.Number }{"17"},
		&struct{ V *big.Int }{big.NewInt(17)},
	} {
		text, err := json.Marshal(value)
		check(err)
		made := reflector.Reflect(value)
		schema, err := made.MarshalJSON()
		check(err)
		member, _ := made.Properties.Get("V")
		of, err := json.Marshal(member)
		check(err)
		compiler := validator.NewCompiler()
		check(compiler.AddResource("schema.json", bytes.NewReader(schema)))
		compiled, err := compiler.Compile("schema.json")
		check(err)
		var read any
		check(json.Unmarshal(text, &read))
		fmt.Printf("%s by %s: %v\n", text, of, compiled.Validate(read) == nil)
	}
}
GO
go run . >observed 2>errors || { cat errors && exit 1; }
cat observed
cat >expected <<'TEXT'
{"V":{"order":17}} by true: true
{"V":"b3JkZXIgMTc="} by {"type":"string","contentEncoding":"base64"}: true
{"V":"17"} by {"type":"string"}: true
{"V":{"17":"lamp"}} by {"patternProperties":{"^[0-9]+$":{"type":"string"}},"additionalProperties":false,"type":"object"}: true
{"V":{"-1":"lamp"}} by {"patternProperties":{"^[0-9]+$":{"type":"string"}},"additionalProperties":false,"type":"object"}: false
{"V":17} by {"type":"string"}: false
{"V":17} by {"properties":{},"additionalProperties":false,"type":"object"}: false
TEXT
diff expected observed
