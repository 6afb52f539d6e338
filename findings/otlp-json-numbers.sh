#!/bin/sh
# Package:  @opentelemetry/otlp-transformer 0.301.1 with @opentelemetry/sdk-trace 3.1.1 (npm), whose JSON is
#           read by go.opentelemetry.io/proto/otlp v1.11.1 with protojson (Go)
# Guess:    a number that is no int64, such as 1e20, is a doubleValue in OTLP's JSON, and NaN is "NaN", as the
#           JSON mapping of Protocol Buffers writes it.
# Observed: 1e20 is an intValue, because of which the reader rejects the whole request. NaN is null, and read as
#           no value.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @opentelemetry/otlp-transformer@0.301.1 @opentelemetry/sdk-trace@3.1.1
cat >span.mjs <<'JS'
import { JsonTraceSerializer } from "@opentelemetry/otlp-transformer";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
for (const cost of [0.5, 1e20, NaN]) {
  const exporter = new InMemorySpanExporter();
  new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] }).getTracer("agent").startSpan("refund", { attributes: { cost } }).end();
  console.log(Buffer.from(JsonTraceSerializer.serializeRequest(exporter.getFinishedSpans())).toString());
}
JS
node span.mjs >requests
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get go.opentelemetry.io/proto/otlp@v1.11.1 google.golang.org/protobuf@v1.36.12 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"bufio"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"regexp"

	v1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// OTLP writes ids in hexadecimal, where protojson reads base64.
var ids = regexp.MustCompile(`"((?:trace|span)Id)":"([0-9a-f]+)"`)

func main() {
	cost := regexp.MustCompile(`"key":"cost","value":(\{[^}]*\})`)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		request := ids.ReplaceAllStringFunc(lines.Text(), func(member string) string {
			parts := ids.FindStringSubmatch(member)
			id, _ := hex.DecodeString(parts[2])
			return fmt.Sprintf("%q:%q", parts[1], base64.StdEncoding.EncodeToString(id))
		})
		var data v1.TracesData
		err := protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal([]byte(request), &data)
		if err != nil {
			fmt.Println(cost.FindStringSubmatch(request)[1], "rejected")
			continue
		}
		fmt.Println(cost.FindStringSubmatch(request)[1], data.ResourceSpans[0].ScopeSpans[0].Spans[0].Attributes[0].Value.Value)
	}
}
GO
go run . <requests >observed
cat observed
cat >expected <<'TEXT'
{"doubleValue":0.5} &{0.5}
{"intValue":100000000000000000000} rejected
{"doubleValue":null} <nil>
TEXT
diff expected observed
