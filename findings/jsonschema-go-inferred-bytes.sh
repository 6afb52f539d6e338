#!/bin/sh
# Package:  github.com/google/jsonschema-go v0.4.3 (Go), from which the MCP SDK for Go makes the schemas of tools
# Guess:    the schema that For infers of a type accepts the JSON that encoding/json writes of its values: a
#           text in base64 for []byte, any value for json.RawMessage, a number for *big.Int.
# Observed: For wants an array of integers for []byte and json.RawMessage, and a text for *big.Int, so that it
#           rejects each of these values.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/google/jsonschema-go@v0.4.3 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"
	"math/big"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

func check[T any](value T) {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		panic(err)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		panic(err)
	}
	text, _ := json.Marshal(value)
	var decoded any
	json.Unmarshal(text, &decoded)
	fmt.Printf("%T %s %s %v %v\n", value, text, schema.Type, schema.Types, resolved.Validate(decoded) == nil)
}

func main() {
	check(time.Unix(0, 0).UTC())
	check([]byte("refund"))
	check(json.RawMessage(`{"order":17}`))
	check(big.NewInt(400))
}
GO
go run . >observed
cat observed
cat >expected <<'TEXT'
time.Time "1970-01-01T00:00:00Z" string [] true
[]uint8 "cmVmdW5k"  [null array] false
json.RawMessage {"order":17}  [null array] false
*big.Int 400  [null string] false
TEXT
diff expected observed
