// Package chunked implements the chunked form of a handoff (EAAPL-MAG006, section 14.1): a
// canonical message as a stream of chunks, each a JSON document, for agents that produce large
// outputs gradually and receivers that begin early. The format is described in docs/streaming.md
// and schemas/handoff-chunk-1.schema.json.
//
// The first chunk holds a valid message with everything a receiver needs to begin. Later chunks
// append to its arrays, objects and strings; there is no other operation. The last chunk has the
// number of chunks and the digest of the whole message.
//
// A [Splitter] makes the chunks of a message. An [Assembler] makes messages from chunks, also from
// those of a sender that still works: it checks each chunk when it arrives and the whole message at
// the end, and detects lost, repeated, reordered, truncated and forged chunks.
//
// # Fidelity
//
// Splitting and assembling a message preserves its text byte for byte, except for white space
// between tokens: the order of members, unknown members, the spelling of strings and the text of
// numbers. A valid signature stays valid.
package chunked

// Version is the version of the chunks that this package writes in [Member]. It reads every chunk
// with the same major version.
const Version = "1.0"

// Member is the name of the member that identifies a chunk; its value is the version.
const Member = "handoffChunk"

// A Kind is the kind of a chunk.
type Kind string

// The kinds.
const (
	First  Kind = "first"  // the message to begin with
	Append Kind = "append" // additions to the message
	Last   Kind = "last"   // the end, with the digest of the message
)

// MaxSequence is the maximum sequence number of a chunk.
const MaxSequence = 999_999_999

const (
	// DefaultChunkBytes is the default of [SplitOptions].ChunkBytes: 64 KiB.
	DefaultChunkBytes = 64 << 10
	// MinChunkBytes is the minimum of [SplitOptions].ChunkBytes.
	MinChunkBytes = 1 << 10
)

// fixed are the members that the first chunk settles: a receiver that has begun must be able to
// rely on them. A later chunk may still add a member whose value is true, if the first chunk lacks
// it.
var fixed = map[string]bool{
	"schemaVersion": false, "handoffId": false, "taskId": false, "parentHandoffId": false, "fromAgent": false, "toAgent": false,
	"receiverList": false, "timestamp": false, "taskDescription": false, "constraints": false, "costTracking": false, "traceparent": false,
	"signatureKeyId": true, "signature": true,
}

// isFixed reports whether nothing may be appended to a member of the message.
func isFixed(name string) bool { _, is := fixed[name]; return is }
