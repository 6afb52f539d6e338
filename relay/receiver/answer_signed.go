package receiver

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/relay/audit"
)

// AnswerMember is the name of the member that marks a signed document as an answer. Its value is
// [AnswerVersion]. No other signed document has it.
const AnswerMember = "handoffAnswer"

// AnswerVersion is the version of the signed answers that this package writes.
const AnswerVersion = "1.0"

// MaxAnswer is the maximum length of an answer, in bytes. Answers of this package are shorter.
const MaxAnswer = 512 << 10

// signedAnswer has the additional members of a signed answer.
type signedAnswer struct {
	Version string `json:"handoffAnswer"`
	Answer
	Digest *audit.Hash `json:"messageDigest,omitzero"`
}

// answerMembers are all members of a signed answer.
var answerMembers = []string{
	AnswerMember, "handoffId", "taskId", "receiver", "status", "reason", "details", "retryable", "attempt", "recordHash", "recordedAt", "rules", "resumed", "escalated",
	"messageDigest", sign.KeyIDMember, sign.Member,
}

// AppendAnswer appends an answer as one line of JSON without a line feed. It is signed if this receiver has a
// key ([Options].AnswerKey).
func (r *Receiver) AppendAnswer(dst []byte, a Answer) ([]byte, error) {
	a.Details = boundedText(a.Details, MaxExplanation)
	if r.options.AnswerKey == nil {
		return a.AppendJSON(dst)
	}
	s := signedAnswer{Version: AnswerVersion, Answer: a}
	if a.MessageDigest != (audit.Hash{}) {
		s.Digest = &a.MessageDigest
	}
	return appendSigned(dst, s, r.options.AnswerKey)
}

// ReadAnswer parses a receiver's answer. Texts longer than in a receiver's record are truncated. It does not
// check the signature: [VerifyAnswer] does.
func ReadAnswer(text []byte) (*Answer, error) {
	var s signedAnswer
	if err := json.Unmarshal(text, &s); err != nil {
		return nil, fmt.Errorf("the answer is not valid: %w", err)
	}
	a := s.Answer
	for _, name := range []*string{&a.HandoffID, &a.TaskID, &a.Receiver, &a.RecordedAt} {
		*name = boundedName(*name)
	}
	a.Reason = finding.Reason(boundedName(string(a.Reason)))
	a.Details = boundedText(a.Details, MaxExplanation)
	a.Rules = a.Rules[:min(len(a.Rules), maxFindings)]
	for i := range a.Rules {
		a.Rules[i] = boundedName(a.Rules[i])
	}
	if s.Digest != nil {
		a.MessageDigest = *s.Digest
	}
	return &a, nil
}

// IsSigned reports whether an answer has a signature, valid or not.
func IsSigned(text []byte) bool {
	m, err := message.Parse(text, message.Options{Limits: jsonstream.Unlimited()})
	return err == nil && m.Root().Get(sign.Member).Exists()
}

// VerifyAnswer returns the key that signed an answer, if it may sign for a receiver, and otherwise an error.
func VerifyAnswer(text []byte, v *sign.Verifier, receiver string, now time.Time) (sign.Key, error) {
	m, err := message.Parse(text, message.Options{Limits: jsonstream.Unlimited()})
	if err != nil {
		return sign.Key{}, err
	}
	key, err := v.VerifyFor(m, receiver, "recordedAt", now)
	if err != nil {
		return sign.Key{}, err
	}
	if m.Root().Get(AnswerMember).Text() != AnswerVersion {
		return sign.Key{}, fmt.Errorf("the signed document is not an answer of version %s", AnswerVersion)
	}
	for name := range m.Root().Members() {
		if !slices.Contains(answerMembers, name) {
			return sign.Key{}, fmt.Errorf("it has the unknown member %s", finding.Quote(name))
		}
	}
	return key, nil
}
