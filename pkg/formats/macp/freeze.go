package macp

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ErrNoSession reports a transcript that cannot be frozen because no SessionStart was
// accepted.
var ErrNoSession = errors.New("no SessionStart was accepted: there is no context to freeze; check the transcript")

// Freeze returns a hash of the context that a session binds, as "sha256:" and 64 hexadecimal
// digits. Context-frozen determinism holds for a replay with the same hash.
//
// It is the SHA-256 of the canonical form (RFC 8785) of an object with two members. session
// has mode, initiator (the sender of the SessionStart), intent, participants in their order,
// mode_version, configuration_version, policy_version (as resolved), ttl_ms and
// max_suspend_ms (decimal texts, "0" for none), context_id ("" for none), extensions and
// roots (empty for none). contexts has handoff_id, content_type and context of every
// accepted HandoffContext, in their order, including late ones. The values of extensions and
// context are base64 with the standard alphabet and padding.
//
// So the hash does not depend on the spelling of names, the layout, unknown members, or the
// form of the session: transcript, fixture or wire. Nor does it depend on session_id, the
// ids and times of messages, or other messages, which are not context. Rejected messages
// do not count; the policy can affect which messages are rejected.
func Freeze(doc *jsonstream.Document, o Options) (string, error) {
	t, faults := Read(doc)
	if t.Fixture && len(faults) > 0 {
		return "", fmt.Errorf("%s: %s", faults[0].Pointer, faults[0].Message)
	}
	s := NewSession(t, o)
	var contexts []*HandoffContext
	for e := range t.Messages() {
		if s.Accept(e) != nil {
			continue
		}
		if c, ok := e.Payload.(*HandoffContext); ok {
			contexts = append(contexts, c)
		}
	}
	if !s.Started() {
		return "", ErrNoSession
	}
	text := s.frozen(contexts)
	frozen, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return "", err
	}
	canonical, err := jsonstream.AppendCanonical(nil, frozen.Root(), jsonstream.CanonicalOptions{})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return "sha256:" + hex.EncodeToString(sum[:]), nil
}

// frozen returns the text that Freeze hashes.
func (s *Session) frozen(contexts []*HandoffContext) []byte {
	var w writer
	p := s.start
	w.object(func() {
		w.member("session")
		w.object(func() {
			w.text("mode", Mode)
			w.text("initiator", s.initiator)
			w.text("intent", p.Intent)
			w.texts("participants", p.Participants)
			w.text("mode_version", p.ModeVersion)
			w.text("configuration_version", p.ConfigurationVersion)
			w.text("policy_version", s.PolicyVersion())
			w.text("ttl_ms", strconv.FormatInt(p.TTLMS, 10))
			w.text("max_suspend_ms", strconv.FormatInt(p.MaxSuspendMS, 10))
			w.text("context_id", p.ContextID)
			w.extensions(p.Extensions)
			w.roots(p.Roots)
		})
		w.member("contexts")
		w.out = append(w.out, '[')
		for _, c := range contexts {
			w.next()
			w.object(func() { c.write(&w) })
		}
		w.out = append(w.out, ']')
	})
	return w.out
}

// CheckFrozen returns a violation if the hash of the transcript by [Freeze] differs from
// hash.
func CheckFrozen(doc *jsonstream.Document, hash string, o Options) *Violation {
	found, err := Freeze(doc, o)
	switch {
	case errors.Is(err, ErrNoSession):
		found = "no session"
	case err != nil:
		found = err.Error()
	case found == hash:
		return nil
	}
	v := violation(frozen, "", "the frozen context "+hash, found, "replay the same SessionStart and the same HandoffContext messages").at(doc.Root())
	v.Index = -1
	return v
}
