#!/usr/bin/env bash
# Measures validate, trim, repair and count as WebAssembly, for docs/performance.md: the size of each with
# only the packages that it needs, and, in Node, the times until the first result and of a later one.
# Needs Go, Node and gzip.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# program NAME IMPORTS CALL: creates a program that repeats a call on the message doc, whose text is text.
program() {
  mkdir "$work/$1"
  cat >"$work/$1/main.go" <<END
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/jsonstream"
$(printf '	"github.com/eaapl/handoff/pkg/%s"\n' $2)
)

func main() {
	ctx := context.Background()
	text, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	var times []float64
	for range 201 {
		began := time.Now()
		$3
		times = append(times, float64(time.Since(began).Microseconds())/1000)
	}
	first := times[0]
	slices.Sort(times)
	_, _ = ctx, doc
	fmt.Printf("first %.1f ms, then %.2f ms (median of 200)\n", first, times[len(times)/2])
}
END
}

program validate validate 'if _, r, err := validate.New(validate.Options{}).ValidateRaw(ctx, jsonstream.NewRaw(text), jsonstream.Limits{}); err != nil || !r.Valid { panic(r.Details) }'
program trim trim 'if _, err := trim.Message(ctx, doc, jsonstream.Limits{}, trim.Options{Last: 3}); err != nil { panic(err) }'
program repair repair 'if _, err := repair.Message(doc, jsonstream.Limits{}, repair.Options{}); err != nil { panic(err) }'
program count "history inspect tokens" 'c, _ := tokens.New(tokens.O200kBase); h, err := history.Of(doc, "", jsonstream.Limits{}); if err != nil { panic(err) }; inspect.BreakDown(h, history.Meter{Count: c.Count})'

go run . example >"$work/message.json"
for name in validate trim repair count; do
  for system in js wasip1; do
    GOOS=$system GOARCH=wasm go build -trimpath -ldflags='-s -w' -o "$work/$name-$system.wasm" "$work/$name/main.go"
    echo "$name, $system: $(stat -c %s "$work/$name-$system.wasm") bytes, $(gzip -9 -c "$work/$name-$system.wasm" | wc -c) with gzip"
  done
  began=$(date +%s%N)
  node --stack-size=8192 "$(go env GOROOT)/lib/wasm/wasm_exec_node.js" "$work/$name-js.wasm" "$work/message.json"
  echo "  the whole run in Node: $((($(date +%s%N) - began) / 1000000)) ms"
done
