package macp

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// anyStep draws a step that is often valid.
func anyStep(t *rapid.T, ms *int64) Step {
	who := rapid.SampledFrom([]string{alice, alice, bob, carol, mallory})
	id := rapid.SampledFrom([]string{"h1", "h2", "h3", ""})
	sender := who.Draw(t, "sender")
	step := Step{Sender: sender, MessageID: "m-" + strconv.Itoa(rapid.IntRange(0, 30).Draw(t, "id"))}
	*ms += rapid.Int64Range(0, 3000).Draw(t, "ms")
	if rapid.Bool().Draw(t, "timed") {
		step.AcceptedAt = Instant{UnixMS: *ms, Known: true}
	}
	reason := rapid.String().Draw(t, "reason")
	switch rapid.SampledFrom([]int{0, 1, 1, 2, 3, 3, 4, 4, 5}).Draw(t, "type") {
	case 0:
		step.Payload = starts().Payload
	case 1:
		step.Payload = &HandoffOffer{id.Draw(t, "handoff"), who.Draw(t, "target"), reason, reason}
	case 2:
		step.Payload = &HandoffContext{id.Draw(t, "handoff"), reason, rapid.SliceOf(rapid.Byte()).Draw(t, "context")}
	case 3:
		by := rapid.SampledFrom([]string{"", sender, bob}).Draw(t, "by")
		step.Payload = &HandoffAccept{id.Draw(t, "handoff"), by, reason, rapid.IntRange(0, 9).Draw(t, "implicit") == 0}
	case 4:
		step.Payload = &HandoffDecline{id.Draw(t, "handoff"), rapid.SampledFrom([]string{"", sender, bob}).Draw(t, "by"), reason}
	case 5:
		commit := *commits(alice).Payload.(*Commitment)
		commit.OutcomePositive = rapid.Bool().Draw(t, "positive")
		commit.Action = rapid.SampledFrom([]string{"handoff.accepted", "handoff.declined", "done"}).Draw(t, "action")
		step.Payload = &commit
	}
	return step
}

// A model is the session as the specification describes it.
type model struct {
	status map[string]Status // of the handoffs
	ended  bool
}

func (m *model) apply(p Payload) {
	switch p := p.(type) {
	case *HandoffOffer:
		m.status[p.HandoffID] = Offered
	case *HandoffContext:
		if m.status[p.HandoffID] == Offered {
			m.status[p.HandoffID] = ContextSent
		}
	case *HandoffAccept:
		m.status[p.HandoffID] = Accepted
	case *HandoffDecline:
		m.status[p.HandoffID] = Declined
	case *Commitment:
		m.ended = true
	}
}

// TestAppendedConforms appends random steps, and checks that the transcript stays valid, that rejected
// steps have no effect, and that the projection agrees with the accepted steps.
func TestAppendedConforms(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := Options{Policy: &Policy{
			Authority:        rapid.SampledFrom([]Authority{InitiatorOnly, AnyParticipant, DesignatedRole}).Draw(t, "authority"),
			DesignatedRoles:  []string{carol},
			ImplicitAcceptMS: rapid.SampledFrom([]int64{0, 1500}).Draw(t, "timeout"),
		}}
		text := []byte(example())
		m := model{status: map[string]Status{}}
		appended := 0
		var ms int64
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			step := anyStep(t, &ms)
			before := bytes.Clone(text)
			doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
			if err != nil {
				t.Fatalf("%v in %s", err, text)
			}
			longer, err := Append(doc, step, o)
			if !bytes.Equal(text, before) {
				t.Fatal("the transcript was changed")
			}
			var rejected *RejectedError
			switch {
			case errors.As(err, &rejected):
				continue
			case err != nil:
				t.Fatal(err)
			}
			text = longer
			appended++
			m.apply(step.Payload)
		}
		doc, _ := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if found := Check(doc, o); appended > 0 && found != nil {
			t.Fatalf("%+v in %s", found, text)
		}
		transcript, _ := Read(doc)
		p := Project(transcript, o)
		if transcript.Len() != appended || len(p.TimeLine) != appended || m.ended != (p.State == Resolved) {
			t.Fatalf("%d of %d messages, state %s", transcript.Len(), appended, p.State)
		}
		status := map[string]Status{}
		for _, h := range p.Handoffs {
			if h.Implicit {
				m.status[h.ID] = Accepted
			}
			status[h.ID] = h.Status
		}
		if diff := cmp.Diff(m.status, status); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestRejectedHasNoEffect checks that the results of all other messages are the same without a message
// that breaks a rule.
func TestRejectedHasNoEffect(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ms int64
		steps := []Step{after(0, start)}
		o := Options{Policy: &Policy{ImplicitAcceptMS: rapid.SampledFrom([]int64{0, 1500}).Draw(t, "timeout")}}
		for range rapid.IntRange(1, 15).Draw(t, "steps") { // within the time of the session
			step := anyStep(t, &ms)
			if step.AcceptedAt.Known {
				step = after(step.AcceptedAt.UnixMS, step)
			}
			steps = append(steps, step)
		}
		replay := func(steps []Step) (Projection, []Step) {
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(example(steps...))), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			transcript, _ := Read(doc)
			p := Project(transcript, o)
			var kept []Step
			for i, e := range p.TimeLine {
				if e.Violation == nil {
					kept = append(kept, with(steps[i], e.MessageID))
				}
			}
			p.TimeLine = nil
			for i := range p.Handoffs {
				p.Handoffs[i].OfferIndex = 0
			}
			return p, kept
		}
		all, kept := replay(steps)
		alone, still := replay(kept)
		if len(kept) != len(still) {
			t.Fatalf("%d messages, %d without those that were rejected", len(kept), len(still))
		}
		if diff := cmp.Diff(all, alone); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestSpellings checks that the spelling of member names does not change the result.
func TestSpellings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var ms int64
		steps := []Step{start}
		for range rapid.IntRange(1, 10).Draw(t, "steps") {
			step := anyStep(t, &ms)
			if c, ok := step.Payload.(*HandoffContext); ok {
				c.ContentType = "text/plain"
			}
			steps = append(steps, step)
		}
		text := example(steps...)
		var listed [2][]string
		for i, spelled := range []string{text, camelCased(text)} {
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(spelled)), jsonstream.Limits{})
			if err != nil {
				t.Skip("a text looks like a member")
			}
			for _, v := range Check(doc, Options{}) {
				listed[i] = append(listed[i], fmt.Sprint(v.Index, v.Rule, v.Reason))
			}
		}
		if diff := cmp.Diff(listed[0], listed[1]); diff != "" {
			t.Fatal(diff)
		}
	})
}

// FuzzCheck reads any input as a transcript, a fixture and a policy. It checks that nothing panics, that
// violations are sorted and have texts, and that messages can be appended to an accepted transcript.
func FuzzCheck(f *testing.F) {
	f.Add(example(start, offer, context, accept, commit))
	f.Add(camelCased(example(start, offer, decline, failure)))
	for _, r := range Rules() {
		f.Add(r.Bad)
	}
	for _, text := range fixtures(f) {
		f.Add(text)
	}
	f.Add(edit(example(start, offer, accept, commit, context), `"HandoffContext"`, `"\u001b]0;\u0007"`))
	f.Add(`{"messages":[{"expect":1,"payload":{"handoff_id":[]}}],"expected_mode_state":{"offers":[],"contexts":{"a":1}},"policy":{"rules":{"commitment":{"designated_roles":[1]}}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(text)), jsonstream.Limits{MaxBytes: 1 << 16, MaxDepth: 32})
		if err != nil {
			return
		}
		found := append(Check(doc, Options{}), CheckFixture(doc, Options{})...)
		for _, v := range found {
			if v.Expected == "" || v.Found == "" || v.Fix == "" || v.Reason == "" || !doc.Root().At(v.Pointer).Exists() {
				t.Fatalf("incomplete: %+v", v)
			}
			if text := v.Message; len(text) > 2000 || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' }) {
				t.Fatalf("not fit to be shown: %q", text)
			}
		}
		transcript, faults := Read(doc)
		p := Project(transcript, Options{})
		rejected := 0
		for _, e := range p.TimeLine {
			if v := e.Violation; v != nil && !v.Follows {
				rejected++
			}
		}
		if !transcript.Fixture && transcript.Len() > 0 && len(Check(doc, Options{})) != rejected+len(faults) {
			t.Fatalf("%d rejected, but %v", rejected, listed(Check(doc, Options{})))
		}
		_, _ = Freeze(doc, Options{})
		_, _ = ReadPolicy(doc.Root())
		longer, err := Append(doc, with(offers("fuzz", p.Initiator, bob), "fuzz"), Options{})
		if err != nil {
			return
		}
		again, err := jsonstream.Parse(jsonstream.NewRaw(longer), jsonstream.Unlimited())
		if err != nil || again.Root().Get("messages").Len() != transcript.Len()+1 {
			t.Fatalf("%v in %s", err, longer)
		}
		if h, ok := Project(must(Read(again)), Options{}).Handoff("fuzz"); !ok || h.Status != Offered {
			t.Fatalf("the offer is not there: %s", longer)
		}
	})
}

func must(t *Transcript, _ []Violation) *Transcript { return t }

// BenchmarkHostile measures the cost of hostile messages: ten times as many should cost ten times as
// much.
func BenchmarkHostile(b *testing.B) {
	message := func(step Step, id int) string {
		var w writer
		w.message("s-1", with(step, "m-"+strconv.Itoa(id)))
		return string(w.out)
	}
	tests := []struct {
		name string
		make func(i int) string
	}{
		{"offers and declines", func(i int) string {
			id := "h" + strconv.Itoa(i/2)
			if i%2 == 0 {
				return message(offers(id, alice, bob), i)
			}
			return message(declines(id, bob), i)
		}},
		{"offers while one is outstanding", func(i int) string { return message(offers("h"+strconv.Itoa(i), alice, bob), i) }},
		{"duplicates", func(int) string { return message(offer, 0) }},
		{"contexts of no offer", func(i int) string { return message(gives("h"+strconv.Itoa(i), alice), i) }},
		{"numbers", strconv.Itoa},
		{"starts", func(i int) string { return message(start, i) }},
	}
	for _, tt := range tests {
		for _, n := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", tt.name, n), func(b *testing.B) {
				var text strings.Builder
				text.WriteString(`{"protocol_version":"1.0","mode":"` + Mode + `","session_id":"s-1","messages":[` + message(start, n))
				for i := range n {
					text.WriteString("," + tt.make(i))
				}
				doc := parse(b, text.String()+"]}")
				for b.Loop() {
					Check(doc, Options{})
					Project(must(Read(doc)), Options{})
					_, _ = Freeze(doc, Options{})
				}
			})
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	steps := []Step{start}
	for i := range 50_000 {
		id := "h" + strconv.Itoa(i)
		steps = append(steps, offers(id, alice, bob), declines(id, bob))
	}
	for i := range steps {
		steps[i].Timestamp = "2026-03-14T09:20:10Z"
	}
	text := example(steps...)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if found := Check(parse(b, text), Options{}); found != nil {
			b.Fatal(listed(found))
		}
	}
}
