package personal

import (
	"bytes"
	"errors"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/privacy"
	"github.com/eaapl/handoff/pkg/redact"
	"github.com/eaapl/handoff/relay/audit"
)

func separatorFor(t interface{ Fatal(...any) }, p privacy.Policy) *separator {
	scanner, err := privacy.New(p)
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSeparator(scanner, jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parse(t interface{ Fatal(...any) }, raw []byte) *message.Message {
	m, err := (&message.Parser{}).Parse(jsonstream.NewRaw(raw), message.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// texts are the parts of values of random messages.
var texts = []string{
	"Erika Mustermann", "erika@muster.example", "+49 30 12345678", "C-4711", "a\"b\\", "", "nothing", "x\u2028y",
	`{"inner":{"mail":"erika@muster.example","n":4930123456789}}`, "sha256:6ca13d52ca70c883e0f0bb101e425a89e8624de51db2d2392593af6a84118090",
}

func drawValue(depth int) *rapid.Generator[any] {
	leaf := rapid.OneOf(
		rapid.Map(rapid.SampledFrom(texts), func(s string) any { return s }),
		rapid.Map(rapid.String(), func(s string) any { return s }),
		rapid.Map(rapid.Int64Range(-1<<50, 1<<50), func(n int64) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	if depth == 0 {
		return leaf
	}
	names := rapid.OneOf(rapid.SampledFrom([]string{"customer", "id", "name", "note", "erika@muster.example", "currentState"}), rapid.String())
	return rapid.OneOf(leaf,
		rapid.Map(rapid.SliceOfN(drawValue(depth-1), 0, 3), func(l []any) any { return l }),
		rapid.Map(rapid.MapOfN(names, drawValue(depth-1), 0, 4), func(m map[string]any) any { return m }))
}

// TestSealedAndOpened checks that a separated message is restored byte for byte from the payload of its record,
// and from no other, and that any change of the payload is detected.
func TestSealedAndOpened(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		top := map[string]any{"handoffId": "h", "currentState": drawValue(3).Draw(t, "state"), "signature": "hmac", "note": drawValue(1).Draw(t, "note")}
		raw, err := json.Marshal(top)
		if err != nil {
			t.Skip(err)
		}
		policy := privacy.Policy{
			Subject: rapid.SampledFrom([]string{"", "/currentState/customer/id", "/currentState/id"}).Draw(t, "subject"),
			Always:  rapid.SliceOfN(rapid.SampledFrom([]string{"/currentState/*", "/currentState/customer", "/currentState/note/*", "/note"}), 0, 2).Draw(t, "always"),
		}
		p := separatorFor(t, policy).separate(raw, parse(t, raw), false)
		if p == nil {
			return
		}
		if bytes.Equal(p.Text, []byte(wholeMessage)) {
			t.Fatalf("%s was not taken apart, but as a whole", raw)
		}
		for _, d := range p.content.Data {
			if len(d.Value) >= minAgain && d.Class != digestClass && !slices.Contains([]string{"true", "false", "null"}, d.Value) && bytes.Contains(raw, []byte(`"`+d.Value+`"`)) && bytes.Contains(p.Text, []byte(`"`+d.Value+`"`)) {
				t.Errorf("%q is still in %s", d.Value, p.Text)
			}
		}
		checkSealed(t, raw, p, rapid.Int64Range(0, 1<<40).Draw(t, "sequence"), rapid.Int().Draw(t, "where"))
	})
}

func checkSealed(t *rapid.T, raw []byte, p *Part, sequence int64, where int) {
	p.key = &Key{ID: KeyID{1}, Subject: "00ff", Secret: Secret{2}}
	p.log = "log"
	r := audit.Record{Sequence: sequence}
	p.Describe(&r)
	payload, err := p.Seal(sequence, &r)
	if err != nil {
		t.Fatal(err)
	}
	c, err := p.key.open("log", &r, payload)
	if err != nil {
		t.Fatal(err)
	}
	if original, ok := redact.Restore(p.Text, c.changes()); !ok || !bytes.Equal(original, raw) {
		t.Fatalf("got %s, want %s", original, raw)
	}
	tampered := bytes.Clone(payload)
	at := uint(where) % uint(len(tampered))
	tampered[at]++
	var wrong *TamperedError
	if err := CheckPayload(&r, tampered); !errors.As(err, &wrong) {
		t.Errorf("byte %d changed, without a key: %v", at, err)
	}
	if _, err := p.key.open("log", &r, tampered); !errors.As(err, &wrong) {
		t.Errorf("byte %d changed: %v", at, err)
	}
	other := r
	other.Sequence++
	if _, err := p.key.open("log", &other, payload); !errors.As(err, &wrong) {
		t.Errorf("the payload of another record: %v", err)
	}
	if _, err := p.key.open("other", &r, payload); !errors.As(err, &wrong) {
		t.Errorf("the payload of another log: %v", err)
	}
	other = r
	other.Details.Subject = "00fe"
	if _, err := p.key.open("log", &other, payload); !errors.As(err, &wrong) {
		t.Errorf("the payload of another subject: %v", err)
	}
	other = r
	other.Details.Commitments = nil
	if _, err := p.key.open("log", &other, payload); len(r.Details.Commitments) > 0 && !errors.As(err, &wrong) {
		t.Errorf("other commitments: %v", err)
	}
}

// FuzzOpen checks that a payload is opened only if it is the recorded one.
func FuzzOpen(f *testing.F) {
	key := &Key{ID: KeyID{1}, Subject: "00ff", Secret: Secret{2}}
	raw := []byte(`{"handoffId":"h","mail":"erika@muster.example"}`)
	p := separatorFor(f, privacy.Policy{}).separate(raw, parse(f, raw), false)
	p.key, p.log = key, "log"
	r := audit.Record{Sequence: 3}
	p.Describe(&r)
	payload, err := p.Seal(3, &r)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(payload)
	f.Add(payload[:encryptedAt])
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := key.open("log", &r, b)
		if (err == nil) != bytes.Equal(b, payload) {
			t.Fatalf("%x: %v", b, err)
		}
		if err != nil && c.Data != nil && bytes.Equal(b, payload) {
			t.Fatal("data with an error")
		}
	})
}

// TestPolicyNamesIDs checks that a policy cannot name values that identify handoffs in records, because they
// must stay there.
func TestPolicyNamesIDs(t *testing.T) {
	for _, p := range []privacy.Policy{
		{Always: []string{"/taskId"}}, {Always: []string{"/fromAgent"}}, {Always: []string{"/*/agentId"}}, {Always: []string{""}},
		{Subject: "/handoffId"}, {Subject: "/fromAgent"}, {Subject: "/receiverList/0"},
	} {
		scanner, err := privacy.New(p)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := New(Options{Scanner: scanner}); err == nil {
			t.Errorf("%+v: no error", p)
		}
	}
}

// TestNothingToGuessBy checks that signatures and digests are also separated, because they would confirm a
// guessed birth date, and that a value defined by its place is also found in other places.
func TestNothingToGuessBy(t *testing.T) {
	digest := "sha256:6ca13d52ca70c883e0f0bb101e425a89e8624de51db2d2392593af6a84118090"
	raw := []byte(`{"handoffId":"h-4711","taskId":"4711","signature":"ed25519:AAAA","currentState":{"customer":{"id":4711,"born":"1964-08-12","vip":true}},` +
		`"extensions":{"parentDigest":"` + digest + `"},"note":"4711, born on 1964-08-12","flag":true}`)
	p := separatorFor(t, privacy.Policy{Subject: "/currentState/customer/id", Always: []string{"/currentState/customer/*"}}).separate(raw, parse(t, raw), false)
	want := `{"handoffId":"h-4711","taskId":"4711","signature":"<HIDDEN_1>","currentState":{"customer":{"id":"<HIDDEN_2>","born":"<HIDDEN_3>","vip":"<HIDDEN_4>"}},` +
		`"extensions":{"parentDigest":"<DIGEST_1>"},"note":"<HIDDEN_2>, born on <BIRTH_DATE_1>","flag":true}`
	if string(p.Text) != want {
		t.Errorf("got\n%s, want\n%s", p.Text, want)
	}
	if p.kind != ofSubject || p.id != "4711" {
		t.Errorf("the subject is %s %s", p.kind, p.id)
	}
}

// TestWhole checks that text that cannot be parsed or restored is separated as a whole.
func TestWhole(t *testing.T) {
	raw := []byte("{\"mail\": \"erika@muster.example\xff")
	p := separatorFor(t, privacy.Policy{}).separate(raw, nil, false)
	if string(p.Text) != wholeMessage || p.kind != ofMessage || !bytes.Equal(p.content.Undo[0].Before, raw) {
		t.Errorf("got %s of %s %s", p.Text, p.kind, p.id)
	}
}

// TestManyCommitments checks that many data have one commitment together.
func TestManyCommitments(t *testing.T) {
	c := content{Salt: []byte("salt"), Data: make([]Datum, maxCommitments)}
	if list, err := c.commitments(); err != nil || len(list) != maxCommitments {
		t.Errorf("%d, %v", len(list), err)
	}
	c.Data = append(c.Data, Datum{})
	if list, err := c.commitments(); err != nil || len(list) != 1 {
		t.Errorf("%d, %v", len(list), err)
	}
}
