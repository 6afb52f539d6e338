package sqlstore

import (
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
)

var recordColumns = []string{
	"sequence", "hash", "recorded_at", "event", "handoff_id", "task_id", "parent_id", "sender", "receiver", "reason", "attempt",
	"cost_spent", "cost_remaining", "prompt_tokens", "completion_tokens", "trace_id", "transport", "latency", "key_id",
	"message_digest", "message_bytes", "frame_digest", "details",
}

// events has the events by their numbers in the column event. [audit.Events] makes a copy on each call, too
// slow for every row.
var events = audit.Events()

// row returns the values of a record's columns. The hash of the previous record is in the previous row.
func row(r *audit.Stored) ([]any, error) {
	event := slices.Index(events, r.Event)
	if event < 0 {
		return nil, fmt.Errorf("%q is not an event of the audit log", r.Event)
	}
	details, err := r.Details.Text()
	if err != nil {
		return nil, err
	}
	return []any{
		r.Sequence, r.Hash[:], r.RecordedAt.UnixMicro(), event, packID(r.HandoffID), packID(r.TaskID), packID(r.ParentHandoffID),
		text(r.Sender), text(r.Receiver), text(string(r.Reason)), number(int64(r.Attempt)), text(r.CostSpentUSD), text(r.CostRemainingUSD),
		number(r.PromptTokens), number(r.CompletionTokens), packTrace(r.TraceID), text(r.Transport), number(r.LatencyMicros), text(r.KeyID),
		hash(r.MessageDigest), number(r.MessageBytes), hash(r.FrameDigest), text(string(details)),
	}, nil
}

func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func number(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

func hash(h audit.Hash) any {
	if h == (audit.Hash{}) {
		return nil
	}
	return h[:]
}

// scanner scans rows of recordColumns.
type scanner struct {
	id, task, parent, trace, hash, previous, message, frame []byte
	at, event                                               int64
	attempt, prompt, completion, latency, bytes             sql.NullInt64
	sender, receiver, reason, spent, remaining              sql.NullString
	transport, key, details                                 sql.NullString
}

// scan scans a row. It returns an error for values that this program cannot have written.
func (s *scanner) scan(rows *sql.Rows, r *audit.Stored) error {
	s.id, s.task, s.parent, s.trace, s.hash, s.previous, s.message, s.frame = nil, nil, nil, nil, nil, nil, nil, nil
	*r = audit.Stored{}
	if err := rows.Scan(&r.Sequence, &s.hash, &s.at, &s.event, &s.id, &s.task, &s.parent, &s.sender, &s.receiver, &s.reason, &s.attempt,
		&s.spent, &s.remaining, &s.prompt, &s.completion, &s.trace, &s.transport, &s.latency, &s.key, &s.message, &s.bytes, &s.frame, &s.details, &s.previous); err != nil {
		return err
	}
	if s.event < 0 || s.event >= int64(len(events)) {
		return &RowError{r.Sequence, fmt.Sprintf("its event has the unknown number %d", s.event)}
	}
	r.Event = events[s.event]
	r.RecordedAt = time.UnixMicro(s.at).UTC()
	for _, field := range []struct {
		to     *string
		packed []byte
	}{{&r.HandoffID, s.id}, {&r.TaskID, s.task}, {&r.ParentHandoffID, s.parent}} {
		id, ok := unpackID(field.packed)
		if !ok {
			return &RowError{r.Sequence, "one of its ids is not valid"}
		}
		*field.to = id
	}
	for _, field := range []struct {
		to   *audit.Hash
		from []byte
	}{{&r.Hash, s.hash}, {&r.PreviousRecordHash, s.previous}, {&r.MessageDigest, s.message}, {&r.FrameDigest, s.frame}} {
		if field.from == nil {
			continue
		}
		if len(field.from) != len(audit.Hash{}) {
			return &RowError{r.Sequence, "one of its hashes is not valid"}
		}
		*field.to = audit.Hash(field.from)
	}
	r.Sender, r.Receiver, r.Reason = s.sender.String, s.receiver.String, finding.Reason(s.reason.String)
	r.Attempt = int(s.attempt.Int64)
	r.CostSpentUSD, r.CostRemainingUSD = s.spent.String, s.remaining.String
	r.PromptTokens, r.CompletionTokens = s.prompt.Int64, s.completion.Int64
	r.TraceID, r.Transport, r.LatencyMicros, r.KeyID = hex.EncodeToString(s.trace), s.transport.String, s.latency.Int64, s.key.String
	r.MessageBytes = s.bytes.Int64
	var err error
	if r.Details, err = audit.ParseDetails([]byte(s.details.String)); err != nil {
		return &RowError{r.Sequence, "its details are not valid"}
	}
	return nil
}

// A RowError reports a database row that this program cannot have written.
type RowError struct {
	Sequence int64
	Problem  string
}

func (e *RowError) Error() string {
	return fmt.Sprintf("record %d of the audit log was changed: %s", e.Sequence, e.Problem)
}

// packID returns the stored form of an id: 16 bytes for a UUID in lower case, otherwise a zero byte and its
// text. If that would be 16 bytes, two bytes with the value 1 precede the text.
func packID(id string) any {
	if id == "" {
		return nil
	}
	if b, ok := parseUUID(id); ok {
		return b[:]
	}
	packed := append([]byte{0}, id...)
	if len(packed) == 16 {
		packed = append([]byte{1, 1}, id...)
	}
	return packed
}

// unpackID is the inverse of packID.
func unpackID(packed []byte) (id string, ok bool) {
	switch {
	case packed == nil:
		return "", true
	case len(packed) == 16:
		return formatUUID([16]byte(packed)), true
	case len(packed) == 17 && packed[0] == 1 && packed[1] == 1:
		return string(packed[2:]), true
	case len(packed) > 1 && packed[0] == 0:
		return string(packed[1:]), true
	default:
		return "", false
	}
}

// uuidGroups are the positions of the groups of digits in the text of a UUID (RFC 9562).
var uuidGroups = [...][2]int{{0, 8}, {9, 13}, {14, 18}, {19, 23}, {24, 36}}

func parseUUID(id string) (b [16]byte, ok bool) {
	if len(id) != 36 {
		return b, false
	}
	n := 0
	for _, g := range uuidGroups {
		k, err := hex.Decode(b[n:], []byte(id[g[0]:g[1]]))
		if err != nil {
			return b, false
		}
		n += k
	}
	return b, formatUUID(b) == id
}

func formatUUID(b [16]byte) string {
	var text [36]byte
	writeUUID(&text, b)
	return string(text[:])
}

func writeUUID(text *[36]byte, b [16]byte) {
	n := 0
	for _, g := range uuidGroups {
		size := (g[1] - g[0]) / 2
		hex.Encode(text[g[0]:g[1]], b[n:n+size])
		n += size
	}
	text[8], text[13], text[18], text[23] = '-', '-', '-', '-'
}

// packTrace returns the stored form of a trace id, which has 32 hexadecimal digits.
func packTrace(id string) any {
	b, err := hex.DecodeString(id)
	if err != nil || len(b) == 0 {
		return nil
	}
	return b
}

// packSubject returns the stored form of a data subject's keyed hash in hexadecimal. Other texts are stored
// as an empty hash, which belongs to no subject.
func packSubject(subject string) []byte {
	b, err := hex.DecodeString(subject)
	if err != nil {
		return []byte{}
	}
	return b
}
