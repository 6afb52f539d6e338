package macp

import (
	"mime"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Format describes the format of a session's transcript.
var Format = format.Descriptor{
	Name:   format.MACP,
	System: "macp",
	Title:  "MACP",

	Marks:   []string{"messages", "protocol_version", "protocolVersion"},
	Members: []string{"session_id", "sessionId", "mode", "initiator", "participants"},
	Needs:   []string{"messages"},
	IDs:     []string{"session_id", "sessionId"},

	Carriers: contexts,
}

// contexts returns the contexts that the messages of a transcript carry. Whether they are
// base64 is not asked.
func contexts(root jsonstream.Value) []format.Carrier {
	var all []format.Carrier
	for _, m := range root.Get("messages").Elements() {
		if either(m, "message_type", "messageType").Text() != "HandoffContext" {
			continue
		}
		payload := m.Get("payload")
		if v := payload.Get("context"); v.Kind() == jsonstream.String {
			all = append(all, format.Carrier{Value: v, JSON: isJSON(either(payload, "content_type", "contentType").Text())})
		}
	}
	return all
}

// isJSON reports whether a media type is that of JSON (RFC 6838, section 4.2.8).
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json"))
}

// either returns the member of an object by one of its two names.
func either(v jsonstream.Value, name, other string) jsonstream.Value {
	if member := v.Get(name); member.Exists() {
		return member
	}
	return v.Get(other)
}
