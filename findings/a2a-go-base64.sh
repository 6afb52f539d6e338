#!/bin/sh
# Package:  github.com/a2aproject/a2a-go/v2 v2.0.0 (Go), a2a.Part, and a2apb/v1 with protojson as the reference
# Guess:    raw may be in the base64 of URLs, or without padding: A2A's JSON is that of Protocol Buffers, in which
#           both are bytes for a reader.
# Observed: a2a.Part refuses both, and with them the whole message. The SDK's own type for gRPC reads both.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get github.com/a2aproject/a2a-go/v2@v2.0.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"encoding/json"
	"fmt"

	"github.com/a2aproject/a2a-go/v2/a2a"
	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

func main() {
	for _, text := range []string{`{"raw":"+/8="}`, `{"raw":"-_8="}`, `{"raw":"+/8"}`} {
		var part a2a.Part
		err := json.Unmarshal([]byte(text), &part)
		var message a2a.Message
		messageErr := json.Unmarshal([]byte(`{"messageId":"1","role":"ROLE_USER","parts":[{"text":"Look."},`+text+`]}`), &message)
		var proto a2apb.Part
		protoErr := protojson.Unmarshal([]byte(text), &proto)
		fmt.Println(text, "a2a.Part:", part.Raw(), err, "in a message:", messageErr == nil, "protojson:", proto.GetRaw(), protoErr)
	}
}
GO
go run . >observed 2>log || { cat log && exit 1; }
cat observed
cat >expected <<'TEXT'
{"raw":"+/8="} a2a.Part: [251 255] <nil> in a message: true protojson: [251 255] <nil>
{"raw":"-_8="} a2a.Part: [] illegal base64 data at input byte 0 in a message: false protojson: [251 255] <nil>
{"raw":"+/8"} a2a.Part: [] illegal base64 data at input byte 0 in a message: false protojson: [251 255] <nil>
TEXT
diff expected observed
