package chunked

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
	"github.com/eaapl/handoff/pkg/validate"
)

// roundTrip splits a message, assembles it, and compares.
func roundTrip(t testing.TB, m *message.Message, room int, o SplitOptions, a AssemblerOptions) [][]byte {
	t.Helper()
	chunks := split(t, m, room, o)
	events := add(t, NewAssembler(a), chunks...)
	if len(events) != len(chunks) || events[0].Kind != Began || events[len(events)-1].Kind != Completed {
		fault := "no fault"
		if f := events[len(events)-1].Fault; f != nil {
			fault = f.Error()
		}
		t.Fatalf("%d chunks: %s: %s\n%s", len(chunks), shown(events), fault, m.Raw())
	}
	for n, e := range events {
		if !bytes.Equal(e.Chunk, bytes.TrimSpace(chunks[n])) {
			t.Fatalf("event %d has the chunk\n%s\nwant\n%s", n, e.Chunk, chunks[n])
		}
	}
	want := jsonstream.AppendCompact(nil, m.Raw())
	if got := events[len(events)-1].Message; !bytes.Equal(got, want) {
		t.Fatalf("got\n%s\nwant\n%s", got, want)
	}
	return chunks
}

// Splitting and assembling restores every message byte for byte, except for white space.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		m, err := message.Parse([]byte(generated(rt)), message.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		room := rapid.SampledFrom([]int{1, 64, 100, 150, 200, 400, 1000, 100000}).Draw(rt, "room")
		chunks := roundTrip(t, m, room, SplitOptions{}, AssemblerOptions{})
		if room > 50_000 && len(chunks) != 2 {
			rt.Fatalf("%d chunks", len(chunks))
		}
	})
}

func TestRoundTripExample(t *testing.T) {
	for _, room := range []int{1, 50, 100, 128, 300, 512, 1000, 4000, 0} {
		roundTrip(t, example(t), room, SplitOptions{}, AssemblerOptions{})
	}
	m := longMessage(t, 300_000)
	for _, o := range []SplitOptions{{}, {ChunkBytes: 1}, {ChunkBytes: 4096}, {ChunkBytes: 5000, Key: secret(t, "team")}, {ChunkBytes: 1 << 20}} {
		a := AssemblerOptions{}
		if o.Key != nil {
			a.Validate.Verifier = verifier(t, o.Key)
		}
		chunks := roundTrip(t, m, 0, o, a)
		longest, bound := 0, o.chunkBytes()
		for _, c := range chunks {
			longest = max(longest, len(c))
		}
		if bound < 4096 {
			longest = 0
			for _, c := range chunks[1:] { // the first chunk also has the required members
				longest = max(longest, len(c))
			}
		}
		if longest > bound {
			t.Errorf("%d bytes a chunk: one has %d", bound, longest)
		}
	}
}

// A valid signature stays valid, at its place.
func TestSignatureSurvives(t *testing.T) {
	key := secret(t, "team")
	text, err := sign.Sign(longMessage(t, 50_000), *key, false)
	if err != nil {
		t.Fatal(err)
	}
	signed := parse(t, string(text))
	first, err := signed.Remove("/signature")
	if err != nil {
		t.Fatal(err)
	}
	inFront := `{"signature":` + string(signed.Root().Get("signature").Raw()) + `,` + string(first.Raw()[1:])
	for _, m := range []*message.Message{signed, parse(t, inFront)} {
		chunks := roundTrip(t, m, 2000, SplitOptions{Key: key}, AssemblerOptions{Validate: validate.Options{Verifier: verifier(t, key)}})
		// Without a key, chunks need no signature, and the message keeps its own.
		events := add(t, NewAssembler(AssemblerOptions{}), chunks...)
		whole := parse(t, string(events[len(events)-1].Message))
		if _, err := verifier(t, key).Verify(whole); err != nil {
			t.Error(err)
		}
	}
	// A whole message with an invalid signature is rejected, even if the chunks have a valid one.
	forged := parse(t, strings.Replace(string(text), `"agentType":"`, `"agentType":"x`, 1))
	fault := faultOf(t, add(t, NewAssembler(AssemblerOptions{Validate: validate.Options{Verifier: verifier(t, key)}}), split(t, forged, 2000, SplitOptions{Key: key})...))
	if fault.Reason != Invalid || fault.Result.Reason != validate.SignatureInvalid {
		t.Error(fault)
	}
}

// The first message is valid in all layers, and has the whole budget.
func TestFirstMessage(t *testing.T) {
	m := longMessage(t, 300_000)
	chunk := parse(t, string(split(t, m, 0, SplitOptions{ChunkBytes: 4096})[0]))
	text := chunk.Root().Get("message").Raw()
	if len(text) > 4096 {
		t.Errorf("%d bytes", len(text))
	}
	first := parse(t, string(text))
	r, err := validate.New(validate.Options{All: true}).Validate(t.Context(), first)
	if err != nil || !r.Valid {
		t.Errorf("%+v, error %v", r, err)
	}
	for name := range fixed {
		if got, want := first.Root().Get(name).Raw(), m.Root().Get(name).Raw(); !bytes.Equal(got, want) {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	if first.Root().Get("completedSubtasks").Len() == 0 || first.Root().Len() != m.Root().Len() {
		t.Errorf("got %s", text)
	}
}

// Members that completeness requires may arrive after the first message, but are missed at the end.
func TestCompletenessLater(t *testing.T) {
	m, err := longMessage(t, 20_000).Set("/taskDescription", []byte(`"Go on"`))
	if err != nil {
		t.Fatal(err)
	}
	receiver := &validate.Receiver{}
	if err := receiver.RequireState("m9"); err != nil {
		t.Fatal(err)
	}
	o := AssemblerOptions{Validate: validate.Options{Receiver: receiver}}
	chunks := roundTrip(t, m, 2000, SplitOptions{}, o)
	began := add(t, NewAssembler(o), chunks[0])[0]
	if f := began.Result.Findings; !began.Result.Valid || len(f) != 1 || f[0].Severity != finding.Note || f[0].Rule != "completeness/required-state" {
		t.Errorf("got %+v", f)
	}
	if err := receiver.RequireState("none"); err != nil {
		t.Fatal(err)
	}
	fault := faultOf(t, add(t, NewAssembler(o), chunks...))
	if fault.Sequence != len(chunks)-1 || fault.Result.Reason != validate.IncompleteContext {
		t.Error(fault)
	}
}

// A message with a number beyond the range of a double has no digest and cannot be signed, but it
// is delivered.
func TestNumbers(t *testing.T) {
	m, err := example(t).Set("/currentState", []byte(`{"a":1e400,"b":9007199254740993}`))
	if err != nil {
		t.Fatal(err)
	}
	chunks := roundTrip(t, m, 0, SplitOptions{}, AssemblerOptions{})
	if last := string(chunks[len(chunks)-1]); !strings.Contains(last, `"digest":null`) {
		t.Error(last)
	}
	err = NewSplitter(SplitOptions{Key: secret(t, "")}).Split(m, func([]byte) error { return nil })
	if number := (*jsonstream.NumberError)(nil); !errors.As(err, &number) {
		t.Errorf("error %v", err)
	}
}

func TestSplitErrors(t *testing.T) {
	for _, text := range []string{`[]`, `{}`, `{"handoffId":7}`, `"x"`} {
		if err := NewSplitter(SplitOptions{}).Split(parse(t, text), nil); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
	stop := errors.New("stop")
	if err := NewSplitter(SplitOptions{}).Split(example(t), func([]byte) error { return stop }); err != stop {
		t.Errorf("error %v", err)
	}
}

// A message at the limits of depth and size.
func TestLimits(t *testing.T) {
	for _, limits := range []jsonstream.Limits{{}, {MaxDepth: jsonstream.MaxDepth}} {
		depth := withDefaults(limits).MaxDepth - 2
		text := strings.Repeat(`{"a":[`, depth/2) + `"` + strings.Repeat("x", 300) + `"` + strings.Repeat(`]}`, depth/2)
		whole := bytes.Replace(example(t).Raw(), []byte(`"currentState":{`), []byte(`"currentState":{"deep":`+text+`,`), 1)
		m, err := message.Parse(whole, message.Options{Limits: limits})
		if err != nil {
			t.Fatal(err)
		}
		if limits.MaxDepth == jsonstream.MaxDepth { // a chunk around it would be too deep
			if err := NewSplitter(SplitOptions{}).Split(m, func([]byte) error { return nil }); err != nil {
				t.Error(err)
			}
			continue
		}
		for _, room := range []int{200, 5000, 0} {
			roundTrip(t, m, room, SplitOptions{}, AssemblerOptions{Limits: limits})
		}
	}
	m := longMessage(t, 200_000)
	limits := jsonstream.Limits{MaxBytes: int64(len(m.Raw()))}
	roundTrip(t, m, 0, SplitOptions{ChunkBytes: 1 << 20}, AssemblerOptions{Limits: limits})
	roundTrip(t, m, 0, SplitOptions{}, AssemblerOptions{Limits: limits})
}

// The schema of chunks is compiled to a program, which checks at the speed of reading.
func TestSchemaStreams(t *testing.T) {
	if err := NewAssembler(AssemblerOptions{}).schema.Streams(); err != nil {
		t.Error(err)
	}
}
