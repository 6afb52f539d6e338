package wire_test

import (
	"bytes"
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/macp/wire"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleEncode encodes a transcript as a stream of envelopes, and decodes it again.
func ExampleEncode() {
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(`{"protocol_version":"1.0","mode":"macp.mode.handoff.v1","session_id":"s-1","messages":[
		{"macp_version":"1.0","mode":"macp.mode.handoff.v1","message_type":"HandoffAccept","message_id":"m-3","session_id":"s-1","sender":"agent://bob","timestamp":"2026-03-14T09:20:10Z",
			"payload":{"handoff_id":"h1","accepted_by":"agent://bob"}}]}`)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	envelopes, losses, err := wire.Encode(doc)
	if err != nil {
		panic(err) // a *wire.MemberError
	}
	transcripts, err := wire.Decode(bytes.NewReader(envelopes), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	read, err := jsonstream.Parse(jsonstream.NewRaw(transcripts[0].Text), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	fmt.Println(len(losses), read.Root().At("/messages/0/message_type").Text(), read.Root().At("/messages/0/payload/handoff_id").Text())
	// Output: 0 HandoffAccept h1
}
