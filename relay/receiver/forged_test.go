package receiver_test

import (
	"bytes"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
	"github.com/eaapl/handoff/relay/receiver"
)

const exampleID = "6e7f936b-cafd-4624-8754-0bafc4e8acb3"

// keyed is a receiver process with the public keys of two agents.
type keyed struct {
	life
	legal, risk sign.Key // the key of legal-analysis-agent, which sends the example, and that of another agent
}

func bornKeyed(t *testing.T, path string, o receiver.Options) keyed {
	t.Helper()
	k := keyed{legal: sign.NewEd25519Key("legal-1"), risk: sign.NewEd25519Key("risk-1")}
	return k.again(t, path, o)
}

// again returns another process with the same keys.
func (k keyed) again(t *testing.T, path string, o receiver.Options) keyed {
	t.Helper()
	var public []sign.Key
	for _, key := range []sign.Key{k.legal, k.risk} {
		p, _ := key.Public()
		public = append(public, p)
	}
	v, err := sign.NewVerifier(public)
	if err != nil {
		t.Fatal(err)
	}
	v = v.WithTrust(sign.Trust{{KeyID: "legal-1", Agents: []string{"legal-*"}}, {KeyID: "risk-1", Agents: []string{"risk-*"}}})
	log := audittest.Open(t, path)
	r, err := receiver.New(t.Context(), validate.New(validate.Options{Verifier: v}), log, o)
	if err != nil {
		t.Fatal(err)
	}
	k.life = life{r, log}
	return k
}

func signed(t *testing.T, key sign.Key, text []byte) []byte {
	t.Helper()
	m, err := message.Parse(text, message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text, err = sign.Sign(m, key, true); err != nil {
		t.Fatal(err)
	}
	return text
}

// takeBack passes the body of a revocation to a receiver.
func (l life) takeBack(t *testing.T, body []byte) (receiver.Answer, error) {
	t.Helper()
	v, err := l.ReadRevocation(body, time.Now())
	if err != nil {
		return receiver.Answer{}, err
	}
	return l.Revoke(t.Context(), v)
}

func revocation(t *testing.T, change func(*receiver.Revocation), key *sign.Key) []byte {
	t.Helper()
	v := receiver.Revocation{HandoffID: exampleID, Sender: "legal-analysis-agent", Explanation: "no answer in time", Made: time.Now()}
	if change != nil {
		change(&v)
	}
	text, err := v.AppendJSON(nil, key)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestForgedRevocation checks that, with keys, a revocation without a signature that may sign for the sender of
// the message is recorded as refused, and does not stop a message.
func TestForgedRevocation(t *testing.T) {
	for name, forge := range map[string]func(*testing.T, keyed) []byte{
		"unsigned": func(t *testing.T, _ keyed) []byte { return revocation(t, nil, nil) },
		"of old":   func(*testing.T, keyed) []byte { return []byte(`{"handoffId":"` + exampleID + `"}`) },
		"another agent's key": func(t *testing.T, k keyed) []byte {
			return revocation(t, nil, &k.risk)
		},
		"another key under the name of the right one": func(t *testing.T, _ keyed) []byte {
			key := sign.NewEd25519Key("legal-1")
			return revocation(t, nil, &key)
		},
		"another one's, changed": func(t *testing.T, k keyed) []byte {
			other := revocation(t, func(v *receiver.Revocation) { v.HandoffID = strings.Replace(exampleID, "6", "7", 1) }, &k.legal)
			return bytes.Replace(other, []byte("7e7f936b"), []byte("6e7f936b"), 1)
		},
		"that for one receiver, for all": func(t *testing.T, k keyed) []byte {
			other := revocation(t, func(v *receiver.Revocation) { v.Receiver = "legal" }, &k.legal)
			return bytes.Replace(other, []byte(`"receiver":"legal"`), []byte(`"receiver":""`), 1)
		},
		"the message itself": func(t *testing.T, k keyed) []byte { return signed(t, k.legal, example(t, "6e7f936b")) },
		"a signed answer": func(t *testing.T, k keyed) []byte {
			return signed(t, k.legal, []byte(`{"handoffAnswer":"1.0","handoffId":"`+exampleID+`","fromAgent":{"agentId":"legal-analysis-agent"},"timestamp":"2026-06-12T09:30:00Z"}`))
		},
		"what does not say that it is one": func(t *testing.T, k keyed) []byte {
			return signed(t, k.legal, []byte(`{"handoffId":"`+exampleID+`","fromAgent":{"agentId":"legal-analysis-agent"},"timestamp":"2026-06-12T09:30:00Z"}`))
		},
		"a message that says it is one": func(t *testing.T, k keyed) []byte {
			return signed(t, k.legal, bytes.Replace(example(t, "6e7f936b"), []byte("{"), []byte(`{"handoffRevocation":"1.0",`), 1))
		},
	} {
		t.Run(name, func(t *testing.T) {
			k := bornKeyed(t, filepath.Join(t.TempDir(), "audit.db"), receiver.Options{})
			a, err := k.takeBack(t, forge(t, k))
			if !errors.As(err, new(*receiver.RevocationError)) || a.Status != "" {
				t.Errorf("%+v, %v", a, err)
			}
			if _, found, err := k.Lookup(t.Context(), exampleID); found || err != nil {
				t.Errorf("found %t, %v", found, err)
			}
			expect(t, k.bring(t, signed(t, k.legal, example(t, "6e7f936b"))), receiver.Accepted, "")
			k.recorded(t, audit.Refused, audit.Accepted)
			for _, s := range records(t, k.log) {
				if s.Event == audit.Refused && (s.Sender != "" || s.KeyID != "" || s.Reason != "SIGNATURE_INVALID" || s.Details.Explanation == "") {
					t.Errorf("recorded as %+v", s.Record)
				}
			}
		})
	}
}

func records(t *testing.T, l *audit.Log) (list []audit.Stored) {
	t.Helper()
	err := l.Store().View(t.Context(), func(r audit.Reader) (err error) {
		list, err = audit.List(r, audit.Filter{})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestSignedRevocation checks that a revocation signed with the sender's key counts, also before its message
// arrives, and again after a replay.
func TestSignedRevocation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	k := bornKeyed(t, path, receiver.Options{})
	body := revocation(t, nil, &k.legal)
	for range 2 {
		a, err := k.takeBack(t, body)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, a, receiver.Rejected, "REVOKED")
	}
	expect(t, k.bring(t, signed(t, k.legal, example(t, "6e7f936b"))), receiver.Rejected, "REVOKED")
	k.recorded(t, audit.Revoked, audit.Rejected)
	if s := records(t, k.log)[0]; s.Sender != "legal-analysis-agent" || s.KeyID != "legal-1" || s.Details.Unsigned {
		t.Errorf("recorded as %+v", s.Record)
	}
}

// TestRevokedByAnotherAgent checks that, before a message arrives, any key may revoke it for its own agent,
// without an effect on messages of other agents, because the sender is unknown. After its arrival, a key that
// may not sign for its sender is refused.
func TestRevokedByAnotherAgent(t *testing.T) {
	for _, when := range []string{"before it comes", "before it is left", "when it is left"} {
		t.Run(when, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "audit.db")
			k := bornKeyed(t, path, receiver.Options{})
			body := revocation(t, func(v *receiver.Revocation) { v.Sender = "risk-scoring-agent" }, &k.risk)
			message := signed(t, k.legal, example(t, "6e7f936b"))
			if when == "before it comes" {
				if _, err := k.takeBack(t, body); err != nil {
					t.Fatal(err)
				}
				if _, found, err := k.Lookup(t.Context(), exampleID); found || err != nil {
					t.Errorf("its sender is told of a revocation that may not be its own: %v", err)
				}
				expect(t, k.bring(t, message), receiver.Accepted, "")
				a, found, err := k.Lookup(t.Context(), exampleID)
				if !found || err != nil || a.Status != receiver.Accepted {
					t.Errorf("%+v, %t, %v", a, found, err)
				}
			} else {
				expect(t, k.bring(t, message), receiver.Accepted, "")
			}
			k.die(t)
			k = k.again(t, path, receiver.Options{})
			if when == "when it is left" {
				if _, err := k.takeBack(t, body); !errors.As(err, new(*receiver.RevocationError)) || !strings.Contains(err.Error(), "may not sign for") {
					t.Errorf("%v", err)
				}
			}
			left := k.left(t)
			if len(left) != 1 || left[0].Answer.Status != receiver.Accepted {
				t.Errorf("%+v", left)
			}
			// Its sender can still revoke it.
			k.die(t)
			k = k.again(t, path, receiver.Options{})
			a, err := k.takeBack(t, revocation(t, nil, &k.legal))
			if err != nil {
				t.Fatal(err)
			}
			expect(t, a, receiver.Rejected, "REVOKED", audit.RolledBack)
		})
	}
}

// TestUnsignedRevocation checks that, without keys, a revocation counts and is recorded as unsigned, and that
// it no longer counts after the receiver gets keys.
func TestUnsignedRevocation(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	l := born(t, path, receiver.Options{})
	if a, err := l.takeBack(t, revocation(t, nil, nil)); err != nil || a.Reason != receiver.Revoked {
		t.Fatalf("%+v, %v", a, err)
	}
	if s := records(t, l.log)[0]; !s.Details.Unsigned || s.Sender != "" || s.KeyID != "" {
		t.Errorf("recorded as %+v", s.Record)
	}
	a := l.bring(t, example(t, "6e7f936b"))
	expect(t, a, receiver.Rejected, "REVOKED")
	if !strings.Contains(a.Details, "by an unsigned revocation") {
		t.Errorf("the sender is told %s", a.Details)
	}
	l.die(t)
	k := bornKeyed(t, path, receiver.Options{})
	expect(t, k.bring(t, signed(t, k.legal, example(t, "6e7f936b"))), receiver.Accepted, "")
}

// TestRevocationBounds checks that the texts of a revocation are limited in its record.
func TestRevocationBounds(t *testing.T) {
	l := born(t, filepath.Join(t.TempDir(), "audit.db"), receiver.Options{})
	long := strings.Repeat("x", receiver.MaxName+1)
	for _, change := range []func(*receiver.Revocation){
		func(v *receiver.Revocation) { v.HandoffID = long },
		func(v *receiver.Revocation) { v.TaskID = long },
		func(v *receiver.Revocation) { v.Receiver = long },
		func(v *receiver.Revocation) { v.Sender = long },
		func(v *receiver.Revocation) { v.HandoffID = "a\x00b" },
	} {
		if a, err := l.takeBack(t, revocation(t, change, nil)); err == nil || len(err.Error()) > 500 {
			t.Errorf("%.200v, %.600v", a, err)
		}
	}
	l.recorded(t)
	text := bytes.Replace(revocation(t, nil, nil), []byte("no answer in time"), bytes.Repeat([]byte("é"), 1<<20), 1)
	if _, err := l.takeBack(t, text); err != nil {
		t.Fatal(err)
	}
	s := records(t, l.log)[0]
	if n := len(s.Details.Explanation); n > receiver.MaxExplanation || n < receiver.MaxExplanation-10 || !strings.HasSuffix(s.Details.Explanation, "é…") {
		t.Errorf("%d bytes are recorded", n)
	}
}

// TestRecordBounds checks that no member of a message can make a record long, and that different ids stay
// different.
func TestRecordBounds(t *testing.T) {
	l := born(t, filepath.Join(t.TempDir(), "audit.db"), receiver.Options{})
	long := strings.Repeat("y", 2<<20)
	for i := range 2 {
		text := fmt.Sprintf(`{"handoffId":"%[1]s%[2]d","taskId":"%[1]s\u0000","parentHandoffId":"%[1]s","fromAgent":{"agentId":"%[1]s"},"toAgent":{"agentType":"%[1]s"},"%[1]s":1,"receiverList":["%[1]s"]}`, long, i)
		a := l.bring(t, []byte(text))
		expect(t, a, receiver.Rejected, "SCHEMA_INVALID")
		if len(a.Details) > 10<<10 || len(a.HandoffID) > receiver.MaxName {
			t.Errorf("its sender is told %d bytes", len(a.Details))
		}
	}
	list := records(t, l.log)
	for _, s := range list {
		text, err := s.AppendJSON(nil)
		if err != nil || len(text) > 20<<10 {
			t.Errorf("a record has %d bytes, %v", len(text), err)
		}
	}
	if list[0].HandoffID == list[1].HandoffID {
		t.Error("two ids are one")
	}
}

// TestQuota checks that permanent rejections and repetitions are recorded until the quota of their key is used
// up, and then only answered and counted, and that accepted messages are always recorded.
func TestQuota(t *testing.T) {
	k := bornKeyed(t, filepath.Join(t.TempDir(), "audit.db"), receiver.Options{RejectedPerDay: 64 << 10})
	message := signed(t, k.legal, example(t, "6e7f936b"))
	expect(t, k.bring(t, message), receiver.Accepted, "")
	const times = 100
	alerts := 0
	for range times {
		a := k.bring(t, []byte("{}"))
		if a.Status != receiver.Rejected || a.Reason != "SIGNATURE_INVALID" || a.RecordHash == (audit.Hash{}) || a.RecordedAt == "" {
			t.Fatalf("%+v", a)
		}
		for _, s := range a.Alerts {
			if s.Event == audit.Unrecorded {
				alerts++
			}
		}
		if _, err := k.takeBack(t, revocation(t, nil, nil)); err == nil {
			t.Fatal("it was believed")
		}
	}
	if alerts != 1 {
		t.Errorf("%d alerts", alerts)
	}
	count := func() (n map[audit.Event]int, unrecorded int64) {
		n = map[audit.Event]int{}
		for _, s := range records(t, k.log) {
			n[s.Event]++
			unrecorded += s.Details.Unrecorded
		}
		return n, unrecorded
	}
	n, _ := count()
	if garbage := n[audit.Rejected] + n[audit.Refused]; garbage < 15 || garbage > 30 || n[audit.Unrecorded] != 1 {
		t.Errorf("recorded: %v", n)
	}
	// Another key has its own quota.
	expect(t, k.bring(t, message), receiver.Duplicate, "")
	other := signed(t, k.legal, example(t, "7e7f936b"))
	expect(t, k.bring(t, other), receiver.Accepted, "")
	for range times {
		if a := k.bring(t, message); a.Status != receiver.Duplicate || a.RecordHash == (audit.Hash{}) {
			t.Fatalf("%+v", a)
		}
	}
	if err := k.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	n, unrecorded := count()
	if n[audit.Accepted] != 2 || n[audit.Duplicate] < 20 || n[audit.Duplicate] > 40 {
		t.Errorf("recorded: %v", n)
	}
	if told := int64(n[audit.Rejected]+n[audit.Refused]+n[audit.Duplicate]) + unrecorded; told != 3*times+1 {
		t.Errorf("the log knows of %d of %d: %v", told, 3*times+1, n)
	}
}
