package macp

import (
	"cmp"
	"mime"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// Format describes session transcripts.
var Format = format.Descriptor{
	Name:   format.MACP,
	System: "macp",
	Title:  "MACP",
	Kind:   "MACP session",

	Marks:   []string{"protocol_version", "protocolVersion"},
	Members: []string{"session_id", "sessionId", "mode", "initiator", "participants"},
	Known:   &format.Elements{List: messages, Fit: fit},
	Needs:   []string{"messages"},
	IDs:     []string{"session_id", "sessionId"},

	Schema:    schemas.MACPTranscript,
	Lookalike: lookalike,
	Rules:     Rules,
	Reasons: []finding.Reason{
		UnsupportedVersion, ModeNotSupported, UnknownPolicyVersion, SessionAlreadyExists, SessionNotOpen, DuplicateMessage, InvalidEnvelope, Forbidden,
	},
	Check: findings,

	Carriers: contexts,
	Exchange: &codec,
	Profile:  profile,
	Changes:  changes,
	Keys:     []format.Key{{Arrays: [][]string{{"messages"}}, Members: []string{"message_id"}, Aliases: []string{"messageId"}}},
}

func messages(root jsonstream.Value) jsonstream.Value { return root.Get("messages") }

// fit recognises an envelope: messages of other systems have no message type.
func fit(element jsonstream.Value) format.Fit {
	if kind, _ := member(element, "message_type"); kind.Exists() || element.Get("expect").Exists() { // of a fixture
		return format.Typical
	}
	return format.Foreign
}

// lookalike recognises fixtures.
func lookalike(root jsonstream.Value) (kind, problem string, at jsonstream.Value) {
	if !IsFixture(root) {
		return "", "", at
	}
	return "fixture", "a conformance fixture with expected results, and not a transcript: found messages with the member \"expect\"; replay it with handoff macp check",
		root.Get("messages")
}

// findings returns the violations in a transcript. Fixtures have their own rules.
func findings(doc *jsonstream.Document, _ jsonstream.Limits) []finding.Finding {
	if IsFixture(doc.Root()) {
		return nil
	}
	var all []finding.Finding
	for _, v := range append(Check(doc, Options{}), Advise(doc)...) {
		all = append(all, v.Finding)
	}
	return all
}

// changes returns the changes of a session, by its messages.
func changes(c format.Comparison) []format.Change {
	messages := c.List("messages")
	sent := map[string]int{} // added messages, by type
	for _, m := range messages.New {
		sent[cmp.Or(m.Get("message_type").Text(), m.Get("messageType").Text())]++
	}
	return []format.Change{
		{Noun: "handoff", Count: sent["HandoffOffer"], Became: "offered"},
		{Noun: "handoff", Count: sent["HandoffAccept"], Became: "accepted"},
		{Noun: "handoff", Count: sent["HandoffDecline"], Became: "declined", Loss: true},
		{Noun: "commitment", Count: sent["Commitment"], Became: "made"},
		{Noun: "message", Count: messages.Added, Became: "added"},
		{Noun: "message", Count: messages.Removed, Became: "removed", Loss: true},
		{Noun: "message", Count: messages.Changed, Became: "changed", Loss: true},
		{Noun: "message", Count: messages.Moved, Became: "moved", Loss: true},
	}
}

// contexts returns the contexts in the messages of a transcript. It does not check that they
// are base64.
func contexts(root jsonstream.Value) []format.Carrier {
	var all []format.Carrier
	for _, m := range root.Get("messages").Elements() {
		if kind, _ := member(m, "message_type"); kind.Text() != "HandoffContext" {
			continue
		}
		payload := m.Get("payload")
		if v := payload.Get("context"); v.Kind() == jsonstream.String {
			contentType, _ := member(payload, "content_type")
			all = append(all, format.Carrier{Value: v, JSON: isJSON(contentType.Text())})
		}
	}
	return all
}

// isJSON reports whether a media type denotes JSON (RFC 6838, section 4.2.8).
func isJSON(contentType string) bool {
	media, _, err := mime.ParseMediaType(contentType)
	return err == nil && (media == "application/json" || media == "text/json" || strings.HasSuffix(media, "+json"))
}
