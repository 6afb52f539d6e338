// Package chunked is the chunked form of one handoff: a canonical message as a stream of
// chunks, each of them a JSON document, for agents that produce large outputs bit by bit and
// receivers that begin before the end (EAAPL-MAG006, section 14.1). The format is described in
// docs/streaming.md and by schemas/handoff-chunk-1.schema.json.
//
// The first chunk holds a valid message with what is needed to begin. Those after it append to
// its arrays, objects and strings; that is the only operation there is. The last one says how
// many there were and what the message is that they make.
//
// A [Splitter] makes the chunks of a message, a [Builder] those of a message that is not
// finished yet. An [Assembler] makes messages of chunks: it checks each when it comes and the
// whole at the end, and finds what was lost, repeated, reordered, cut off or forged.
//
// # What comes out
//
// Splitting and assembling a message gives its text without the white space between tokens,
// byte for byte: the order of members, unknown members, the spelling of strings and the text of
// numbers stay. A signature that held before holds after.
package chunked

// Version is the version of the chunks that this package writes, in the member [Member]. Every
// chunk with the same major version is read.
const Version = "1.0"

// Member is the name of the member by which a chunk is recognised; its value is the version.
const Member = "handoffChunk"

// A Kind is the kind of a chunk.
type Kind string

// The kinds.
const (
	First  Kind = "first"  // the message to begin with
	Append Kind = "append" // what is appended to it
	Last   Kind = "last"   // the end, and what the message is
)

// MaxSequence is the greatest number of a chunk in its stream.
const MaxSequence = 999_999_999

const (
	// DefaultChunkBytes is the default of [SplitOptions].ChunkBytes: 64 KiB.
	DefaultChunkBytes = 64 << 10
	// MinChunkBytes is the minimum of [SplitOptions].ChunkBytes.
	MinChunkBytes = 1 << 10
)

// fixed are the members of a message that its first chunk settles: what the receiver has begun
// with does not change under its hands. Those that are true may still be added by a later
// chunk, if the first one does not have them.
var fixed = map[string]bool{
	"schemaVersion": false, "handoffId": false, "taskId": false, "parentHandoffId": false, "fromAgent": false, "toAgent": false,
	"receiverList": false, "timestamp": false, "taskDescription": false, "constraints": false, "costTracking": false, "traceparent": false,
	"signatureKeyId": true, "signature": true,
}

// isFixed reports whether nothing may be appended to a member of the message.
func isFixed(name string) bool { _, is := fixed[name]; return is }
