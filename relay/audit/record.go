package audit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/eaapl/handoff/pkg/finding"
)

// A Hash is a SHA-256 hash.
type Hash [sha256.Size]byte

// hashPrefix is the prefix of a hash in text, as in the specification's inputHash.
const hashPrefix = "sha256:"

// String returns the hash as "sha256:" and 64 hexadecimal digits.
func (h Hash) String() string { return hashPrefix + hex.EncodeToString(h[:]) }

// MarshalText returns the text of String.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText accepts only the form of MarshalText.
func (h *Hash) UnmarshalText(text []byte) error {
	s := string(text)
	if len(s) != len(hashPrefix)+2*len(h) || s[:len(hashPrefix)] != hashPrefix {
		return fmt.Errorf("%s is not a hash: use sha256: and 64 hexadecimal digits", finding.Quote(s))
	}
	if _, err := hex.Decode(h[:], text[len(hashPrefix):]); err != nil || h.String() != s {
		return fmt.Errorf("%s is not a hash: use sha256: and 64 lowercase hexadecimal digits", finding.Quote(s))
	}
	return nil
}

// A Record reports an event of a handoff (EAAPL-MAG006, section 6.2). Members that are unknown, or have no
// meaning for the event, have their zero value, and are omitted from the record's JSON.
//
// Its JSON is canonical (RFC 8785), and defined by schemas/audit-record-1.schema.json. Values chosen by users
// are strings, so that no number is rounded.
type Record struct {
	Sequence           int64     // number of records before this one
	PreviousRecordHash Hash      // of the previous record; zero for the first
	RecordedAt         time.Time // UTC, in whole microseconds
	Event              Event

	HandoffID       string
	TaskID          string
	ParentHandoffID string
	Sender          string // fromAgent.agentId
	Receiver        string // its configured agentType, or else toAgent.agentType
	Reason          finding.Reason
	Attempt         int // number of the attempt at the handoff, from 1

	CostSpentUSD     string // decimal, as in the message
	CostRemainingUSD string
	PromptTokens     int64
	CompletionTokens int64

	TraceID       string // of traceparent (W3C Trace Context), 32 hexadecimal digits
	Transport     string // name of the message's transport, such as "nats"
	LatencyMicros int64  // from dispatch to acceptance, in microseconds
	KeyID         string // of the key that verified the signature

	// MessageDigest is the SHA-256 of the message's canonical form (RFC 8785), or of its bytes if it is not
	// JSON. If the message's personal data is stored separately, the digest is keyed (package personal).
	MessageDigest Hash
	MessageBytes  int64 // length of the message as received; without its personal data, if that is stored separately
	FrameDigest   Hash  // SHA-256 of the compressed message; zero if there is none

	Details Details
}

// A Copy identifies the message for one of several receivers (section 14.2). Acceptance, handing over and
// answers are per copy.
type Copy struct{ HandoffID, Receiver string }

// Copy returns the copy that a record is about. HANDED_OVER records of older versions have no receiver: at
// that time, a handoff had only one copy.
func (r *Record) Copy() Copy { return Copy{r.HandoffID, r.Receiver} }

// Details are rarely used members of a [Record].
type Details struct {
	Findings       []Finding `json:"findings,omitzero"`       // why a message was rejected, or its warnings
	MoreFindings   int       `json:"moreFindings,omitzero"`   // number of findings that were left out
	Concerns       *int64    `json:"concerns,omitzero"`       // sequence number of the record that this one is about, if handoffId is ambiguous; of a HANDED_OVER with Running, its ACCEPTED
	SenderAttempt  int       `json:"senderAttempt,omitzero"`  // the sender's number of the attempt, if it differs from Attempt
	Resumed        bool      `json:"resumed,omitzero"`        // not handed over by the attempt that accepted it
	Running        bool      `json:"running,omitzero"`        // handed over to an agent whose end the receiver waits for
	Compressed     bool      `json:"compressed,omitzero"`     // older turns of the message were summarised (section 6.4)
	By             string    `json:"by,omitzero"`             // person who decided
	Explanation    string    `json:"explanation,omitzero"`    // that person's explanation, or a description of the event
	Allowed        []string  `json:"allowed,omitzero"`        // rules whose findings that person allowed
	ExitCode       *int      `json:"exitCode,omitzero"`       // of the agent
	DurationMicros int64     `json:"durationMicros,omitzero"` // of the agent's run, in microseconds
	Unsigned       bool      `json:"unsigned,omitzero"`       // reported without a verified signature
	Unrecorded     int64     `json:"unrecorded,omitzero"`     // number of events not recorded individually since the last record of that kind
	Receivers      []string  `json:"receivers,omitzero"`      // receiverList (section 14.2)
	Subject        string    `json:"subject,omitzero"`        // the data subject, as a keyed hash
	Commitments    []Hash    `json:"commitments,omitzero"`    // salted commitments of the personal data that is stored separately
	PayloadDigest  *Hash     `json:"payloadDigest,omitzero"`  // SHA-256 of the encrypted personal data
	Setting        *Setting  `json:"setting,omitzero"`        // setting of the log
	Archive        *Archive  `json:"archive,omitzero"`        // file that messages were moved to
	Removal        *Removal  `json:"removal,omitzero"`        // removal of records
}

// A Finding is the recorded part of a [finding.Finding].
type Finding struct {
	Rule     string           `json:"rule"`
	Severity finding.Severity `json:"severity"`
	Pointer  string           `json:"pointer,omitzero"`
	Message  string           `json:"message"`
}

// FormatTime returns a time as in records: RFC 3339, in UTC, with microseconds, the precision of databases.
func FormatTime(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z") }

// isZero reports whether there are no details.
func (d *Details) isZero() bool {
	return len(d.Findings) == 0 && d.MoreFindings == 0 && d.Concerns == nil && d.SenderAttempt == 0 && !d.Resumed && !d.Running && !d.Compressed &&
		!d.Unsigned && d.Unrecorded == 0 &&
		d.By == "" && d.Explanation == "" && len(d.Allowed) == 0 && d.ExitCode == nil && d.DurationMicros == 0 &&
		len(d.Receivers) == 0 && d.Subject == "" && len(d.Commitments) == 0 && d.PayloadDigest == nil &&
		d.Setting == nil && d.Archive == nil && d.Removal == nil
}

// Text returns the details as canonical JSON, nil if there are none.
func (d *Details) Text() ([]byte, error) {
	if d.isZero() {
		return nil, nil
	}
	text, err := json.Marshal(d, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return nil, err
	}
	v := jsontext.Value(text)
	err = v.Canonicalize()
	return v, err
}

// ParseDetails parses the text of [Details.Text].
func ParseDetails(text []byte) (d Details, err error) {
	if len(text) == 0 {
		return d, nil
	}
	err = json.Unmarshal(text, &d, json.RejectUnknownMembers(true))
	return d, err
}

// AppendJSON appends the record as canonical JSON (RFC 8785), the input of its hash.
func (r *Record) AppendJSON(dst []byte) ([]byte, error) {
	details, err := r.Details.Text()
	if err != nil {
		return dst, err
	}
	return r.appendJSON(dst, details)
}

// appendJSON appends the record with the canonical JSON of its details.
func (r *Record) appendJSON(dst, details []byte) ([]byte, error) {
	w := memberWriter{dst: append(dst, '{')}
	w.number("attempt", int64(r.Attempt))
	w.number("completionTokens", r.CompletionTokens)
	w.text("costRemainingUSD", r.CostRemainingUSD)
	w.text("costSpentUSD", r.CostSpentUSD)
	if details != nil {
		w.raw("details", details)
	}
	w.text("event", string(r.Event))
	w.hash("frameDigest", r.FrameDigest)
	w.text("handoffId", r.HandoffID)
	w.text("keyId", r.KeyID)
	w.number("latencyMicros", r.LatencyMicros)
	w.number("messageBytes", r.MessageBytes)
	w.hash("messageDigest", r.MessageDigest)
	w.text("parentHandoffId", r.ParentHandoffID)
	w.always("previousRecordHash", r.PreviousRecordHash)
	w.number("promptTokens", r.PromptTokens)
	w.text("reason", string(r.Reason))
	w.text("receiver", r.Receiver)
	w.time("recordedAt", r.RecordedAt)
	w.text("sender", r.Sender)
	w.name("sequence")
	w.dst = strconv.AppendInt(w.dst, r.Sequence, 10)
	w.text("taskId", r.TaskID)
	w.text("traceId", r.TraceID)
	w.text("transport", r.Transport)
	return append(w.dst, '}'), w.err
}

// Hash returns the SHA-256 of the record's JSON.
func (r *Record) Hash() (Hash, error) {
	text, err := r.AppendJSON(make([]byte, 0, 1024))
	return sha256.Sum256(text), err
}

// memberWriter writes an object whose members are given in canonical order.
type memberWriter struct {
	dst []byte
	err error
}

func (w *memberWriter) name(name string) {
	if w.dst[len(w.dst)-1] != '{' {
		w.dst = append(w.dst, ',')
	}
	w.dst = append(append(append(w.dst, '"'), name...), '"', ':')
}

func (w *memberWriter) raw(name string, value []byte) {
	w.name(name)
	w.dst = append(w.dst, value...)
}

func (w *memberWriter) text(name, value string) {
	if value == "" {
		return
	}
	w.name(name)
	if isPlain(value) {
		w.dst = append(append(append(w.dst, '"'), value...), '"')
		return
	}
	var err error
	if w.dst, err = jsontext.AppendQuote(w.dst, value); err != nil {
		w.err = errors.Join(w.err, fmt.Errorf("%s: %w", name, err))
	}
}

// isPlain reports whether a text needs only quotes to be JSON.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// time writes the text of FormatTime, but faster.
func (w *memberWriter) time(name string, t time.Time) {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 1000 || year > 9999 {
		w.text(name, FormatTime(t))
		return
	}
	hour, minute, second := t.Clock()
	w.name(name)
	w.dst = append(w.dst, '"')
	for _, part := range [...]struct {
		n, digits int
		after     byte
	}{{year, 4, '-'}, {int(month), 2, '-'}, {day, 2, 'T'}, {hour, 2, ':'}, {minute, 2, ':'}, {second, 2, '.'}, {t.Nanosecond() / 1000, 6, 'Z'}} {
		at := len(w.dst)
		w.dst = append(w.dst, "000000"[:part.digits]...)
		for n, i := part.n, at+part.digits-1; i >= at; n, i = n/10, i-1 {
			w.dst[i] = byte('0' + n%10)
		}
		w.dst = append(w.dst, part.after)
	}
	w.dst = append(w.dst, '"')
}

func (w *memberWriter) number(name string, value int64) {
	if value != 0 {
		w.name(name)
		w.dst = strconv.AppendInt(w.dst, value, 10)
	}
}

func (w *memberWriter) hash(name string, value Hash) {
	if value != (Hash{}) {
		w.always(name, value)
	}
}

func (w *memberWriter) always(name string, value Hash) {
	w.name(name)
	w.dst = append(append(w.dst, '"'), hashPrefix...)
	w.dst = append(hex.AppendEncode(w.dst, value[:]), '"')
}
