package macp_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ExampleCheck replays a transcript with an offer of another protocol version.
func ExampleCheck() {
	const transcript = `{"protocol_version":"1.0","mode":"macp.mode.handoff.v1","session_id":"s-1","messages":[
		{"macp_version":"1.0","mode":"macp.mode.handoff.v1","message_type":"SessionStart","message_id":"m-1","session_id":"s-1","sender":"agent://alice","timestamp":"2026-03-14T09:20:10Z",
			"payload":{"intent":"hand over","participants":["agent://alice","agent://bob"],"mode_version":"1.0.0","configuration_version":"c-1","policy_version":"","ttl_ms":60000}},
		{"macp_version":"2.0","mode":"macp.mode.handoff.v1","message_type":"HandoffOffer","message_id":"m-2","session_id":"s-1","sender":"agent://alice","timestamp":"2026-03-14T09:20:11Z",
			"payload":{"handoff_id":"h1","target_participant":"agent://bob","scope":"frontend","reason":"moving"}}]}`
	doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(transcript)), jsonstream.Limits{})
	if err != nil {
		panic(err)
	}
	for _, v := range macp.Check(doc, macp.Options{}) {
		fmt.Println(v.Rule, v.Pointer, v.Reason)
	}
	// Output: macp/2 /messages/1/macp_version UNSUPPORTED_PROTOCOL_VERSION
}
