package wire

import (
	"slices"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A kind is the type of a field.
type kind byte

const (
	text    kind = iota // string
	texts               // repeated string
	integer             // int64
	boolean             // bool
	blob                // bytes
	blobs               // map of string to bytes
	message             // a message whose presence matters
	several             // repeated message
	body                // bytes with a message of the type named by message_type
)

// wireType returns the wire type of a kind.
func (k kind) wireType() protowire.Type {
	if k == integer || k == boolean {
		return protowire.VarintType
	}
	return protowire.BytesType
}

// A field of a message.
type field struct {
	number protowire.Number
	name   string
	kind   kind
	fields schema // of a message or several
	// sparse fields are omitted from the JSON if they are not on the wire, or are an integer
	// 0.
	sparse bool
	// explicit members are required in JSON, even with the default value, because the wire
	// does not show their presence.
	explicit bool
	// instead is an alternative member with an RFC 3339 time, for a field in milliseconds.
	instead string
}

// A schema lists the fields of a message in the order of their numbers.
type schema []field

// find returns the index of the field with a number and a wire type, or -1.
func (s schema) find(number protowire.Number, t protowire.Type) int {
	return slices.IndexFunc(s, func(f field) bool { return f.number == number && f.kind.wireType() == t })
}

// Members without a field.
const (
	unknownFields = "unknown_fields"
	// undecoded is the base64 of a payload that does not match its message type, and
	// undecodedProblem the reason.
	undecoded        = "undecoded"
	undecodedProblem = "undecoded_problem"
	messages         = "messages"
)

var envelope = schema{
	{number: 1, name: "macp_version"},
	{number: 2, name: "mode"},
	{number: 3, name: "message_type"},
	{number: 4, name: "message_id"},
	{number: 5, name: "session_id"},
	{number: 6, name: "sender"},
	{number: 7, name: "timestamp_unix_ms", kind: integer, sparse: true, instead: "timestamp"},
	{number: 8, name: "payload", kind: body},
}

// Indices into envelope.
const (
	versionField = 0
	modeField    = 1
	typeField    = 2
	sessionField = 4
)

// payloads maps message types to payload schemas. The number of max_suspend_ms is from the
// protocol's core.proto.
var payloads = map[string]schema{
	"SessionStart": {
		{number: 1, name: "intent"},
		{number: 2, name: "participants", kind: texts},
		{number: 3, name: "mode_version"},
		{number: 4, name: "configuration_version"},
		{number: 5, name: "policy_version"},
		{number: 6, name: "ttl_ms", kind: integer},
		{number: 7, name: "roots", kind: several, sparse: true, fields: schema{
			{number: 1, name: "uri"},
			{number: 2, name: "name"},
		}},
		{number: 8, name: "context_id"},
		{number: 9, name: "extensions", kind: blobs, sparse: true},
		{number: 10, name: "max_suspend_ms", kind: integer, sparse: true},
	},
	"HandoffOffer": {
		{number: 1, name: "handoff_id"},
		{number: 2, name: "target_participant"},
		{number: 3, name: "scope"},
		{number: 4, name: "reason"},
	},
	"HandoffContext": {
		{number: 1, name: "handoff_id"},
		{number: 2, name: "content_type"},
		{number: 3, name: "context", kind: blob},
	},
	"HandoffAccept": {
		{number: 1, name: "handoff_id"},
		{number: 2, name: "accepted_by"},
		{number: 3, name: "reason"},
		{number: 4, name: "implicit", kind: boolean},
	},
	"HandoffDecline": {
		{number: 1, name: "handoff_id"},
		{number: 2, name: "declined_by"},
		{number: 3, name: "reason"},
	},
	"Commitment": {
		{number: 1, name: "commitment_id"},
		{number: 2, name: "action"},
		{number: 3, name: "authority_scope"},
		{number: 4, name: "reason"},
		{number: 5, name: "mode_version"},
		{number: 6, name: "policy_version"},
		{number: 7, name: "configuration_version"},
		{number: 8, name: "outcome_positive", kind: boolean, explicit: true},
		{number: 9, name: "supersedes", kind: message, sparse: true, fields: schema{
			{number: 1, name: "session_id"},
			{number: 2, name: "commitment_hash"},
		}},
	},
}

// member returns the member of an object with a snake_case name, or else in camelCase, as
// the TypeScript SDK writes it.
func member(object jsonstream.Value, name string) jsonstream.Value {
	if v := object.Get(name); v.Exists() {
		return v
	}
	return object.Get(camel(name))
}

// camel converts a snake_case name to camelCase.
func camel(name string) string {
	var b strings.Builder
	for i, word := range strings.Split(name, "_") {
		if i > 0 {
			word = strings.ToUpper(word[:1]) + word[1:]
		}
		b.WriteString(word)
	}
	return b.String()
}
