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

// A Hash is a SHA-256.
type Hash [sha256.Size]byte

// hashPrefix is how a hash begins as text, as the specification writes inputHash.
const hashPrefix = "sha256:"

// String returns the hash as "sha256:" and 64 hexadecimal digits.
func (h Hash) String() string { return hashPrefix + hex.EncodeToString(h[:]) }

// MarshalText returns what String does.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText writes, and nothing else.
func (h *Hash) UnmarshalText(text []byte) error {
	s := string(text)
	if len(s) != len(hashPrefix)+2*len(h) || s[:len(hashPrefix)] != hashPrefix {
		return fmt.Errorf("%s is no hash: use sha256: and 64 hexadecimal digits", finding.Quote(s))
	}
	if _, err := hex.Decode(h[:], text[len(hashPrefix):]); err != nil || h.String() != s {
		return fmt.Errorf("%s is no hash: use sha256: and 64 hexadecimal digits in small letters", finding.Quote(s))
	}
	return nil
}

// A Record says that something happened to a handoff (EAAPL-MAG006, section 6.2). Members
// that are not known, or have no meaning for the event, have their zero value, and are not
// in the record's JSON.
//
// Its JSON is canonical (RFC 8785), and described by schemas/audit-record-1.schema.json. What
// a user chooses are strings, so that no number is rounded.
type Record struct {
	Sequence           int64     // how many records there are before this one
	PreviousRecordHash Hash      // of the record before; zero for the first
	RecordedAt         time.Time // UTC, in whole microseconds
	Event              Event

	HandoffID       string
	TaskID          string
	ParentHandoffID string
	Sender          string // fromAgent.agentId
	Receiver        string // its own agentType, where it has one; else toAgent.agentType
	Reason          finding.Reason
	Attempt         int // which attempt this is at handing over, from 1

	CostSpentUSD     string // as the message has it, decimal
	CostRemainingUSD string
	PromptTokens     int64
	CompletionTokens int64

	TraceID       string // of traceparent (W3C Trace Context), 32 hexadecimal digits
	Transport     string // what the message came by, such as "nats"
	LatencyMicros int64  // from dispatch to acceptance, in microseconds
	KeyID         string // of the key that verified the signature

	// MessageDigest is the SHA-256 of the message's canonical form (RFC 8785); of its bytes, if
	// it is not JSON. Of a message whose personal data is apart it is keyed (package personal).
	MessageDigest Hash
	MessageBytes  int64 // length of the message as it came; without its personal data, if that is apart
	FrameDigest   Hash  // SHA-256 of the compressed message beside the record; zero if there is none

	Details Details
}

// A Copy is what one receiver gets of a message: several may get one each (section 14.2). What
// is accepted, handed over and answered is a copy.
type Copy struct{ HandoffID, Receiver string }

// Copy returns which copy a record is about. Records of older versions with the event HANDED_OVER
// have no receiver, and are about all copies, of which there was one.
func (r *Record) Copy() Copy { return Copy{r.HandoffID, r.Receiver} }

// Details are members of a [Record] that few records have.
type Details struct {
	Findings       []Finding `json:"findings,omitzero"`       // why a message was rejected, or what was noted
	MoreFindings   int       `json:"moreFindings,omitzero"`   // that there were beside those
	Concerns       *int64    `json:"concerns,omitzero"`       // sequence number of the record that this one is about, where handoffId does not say; of a HANDED_OVER with Running, its ACCEPTED
	SenderAttempt  int       `json:"senderAttempt,omitzero"`  // the sender's number of the attempt, where that is not Attempt
	Resumed        bool      `json:"resumed,omitzero"`        // handed over by another attempt than the one that accepted it
	Running        bool      `json:"running,omitzero"`        // handed over to an agent for whose end the receiver waits
	Compressed     bool      `json:"compressed,omitzero"`     // the message's older turns were summarised (section 6.4)
	By             string    `json:"by,omitzero"`             // the person who decided
	Explanation    string    `json:"explanation,omitzero"`    // in that person's words, or what happened
	Allowed        []string  `json:"allowed,omitzero"`        // rules that were allowed by that person
	ExitCode       *int      `json:"exitCode,omitzero"`       // of the agent
	DurationMicros int64     `json:"durationMicros,omitzero"` // of the agent's run, in microseconds
	Unsigned       bool      `json:"unsigned,omitzero"`       // nobody has shown by a signature who says that
	Unrecorded     int64     `json:"unrecorded,omitzero"`     // how much was not recorded one by one since the last record of that kind
	Receivers      []string  `json:"receivers,omitzero"`      // receiverList (section 14.2)
	Subject        string    `json:"subject,omitzero"`        // the data subject, as a keyed hash
	Commitments    []Hash    `json:"commitments,omitzero"`    // salted, of the personal data that is stored apart
	PayloadDigest  *Hash     `json:"payloadDigest,omitzero"`  // SHA-256 of that data, encrypted
	Setting        *Setting  `json:"setting,omitzero"`        // of the log, that was made
	Archive        *Archive  `json:"archive,omitzero"`        // the file that messages were moved to
	Removal        *Removal  `json:"removal,omitzero"`        // which records were removed
}

// A Finding is what a record keeps of a [finding.Finding].
type Finding struct {
	Rule     string           `json:"rule"`
	Severity finding.Severity `json:"severity"`
	Pointer  string           `json:"pointer,omitzero"`
	Message  string           `json:"message"`
}

// FormatTime returns a time as it is in a record: RFC 3339, in UTC, with six digits after the
// seconds, which is what databases keep.
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

// ParseDetails reads what [Details.Text] returns.
func ParseDetails(text []byte) (d Details, err error) {
	if len(text) == 0 {
		return d, nil
	}
	err = json.Unmarshal(text, &d, json.RejectUnknownMembers(true))
	return d, err
}

// AppendJSON appends the record as canonical JSON (RFC 8785): the bytes that its hash is of.
func (r *Record) AppendJSON(dst []byte) ([]byte, error) {
	details, err := r.Details.Text()
	if err != nil {
		return dst, err
	}
	return r.appendJSON(dst, details)
}

// appendJSON appends the record with details whose canonical JSON is known.
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

// memberWriter writes an object whose members come in their canonical order.
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

// isPlain reports whether a text is its own JSON, but for the quotes.
func isPlain(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

// time writes what FormatTime returns, in a fraction of the time.
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
