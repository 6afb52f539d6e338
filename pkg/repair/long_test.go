package repair

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/chatgen"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// wholeLines repairs a session in memory.
func wholeLines(text []byte, o Options) (Result, error) {
	raw := jsonstream.NewRaw(text)
	raw.Lines = true
	doc, damage, err := Parse(raw, jsonstream.Limits{})
	if err != nil {
		return Result{}, err
	}
	o.Damage = damage
	return Message(doc, jsonstream.Limits{}, o)
}

// checkLong compares the repair of a session in blocks with the repair in memory, and reports whether
// the session could be repaired in blocks.
func checkLong(t *testing.T, text []byte, o Options) (r Result, ok bool) {
	t.Helper()
	want, wantErr := wholeLines(text, o)
	got, end, err := Lines(jsonstream.LinesFile{In: bytes.NewReader(text), Start: jsonstream.NewRaw(nil).Start, End: int64(len(text))}, jsonstream.Limits{}, o)
	switch {
	case errors.Is(err, ErrWhole):
		if wantErr == nil && len(want.Steps) == 0 && len(want.Left) == 0 && (want.Format == format.ClaudeCode || want.Format == format.Codex) {
			t.Fatalf("nothing is to be mended in %d bytes for %s", len(text), want.For)
		}
		return want, false
	case err != nil || wantErr != nil:
		t.Fatalf("error %v, want %v", err, wantErr)
	}
	got.Text = text[:end]
	if !reflect.DeepEqual(got, want) {
		t.Fatalf("steps %+v, left %+v, %d bytes, want %+v, %+v, %d bytes\n%s\n%s", got.Steps, got.Left, len(got.Text), want.Steps, want.Left, len(want.Text), got.Archive, want.Archive)
	}
	return got, true
}

// TestLong compares the repair of a session in blocks with the repair in memory.
func TestLong(t *testing.T) {
	count, copied, cut, mended := tier.Count(120, 400), 0, 0, 0
	for seed := range uint64(count) {
		rng := rand.New(rand.NewPCG(seed, 43))
		f := []format.Format{format.ClaudeCode, format.Codex}[seed%2]
		text := chatgen.Session(rng, f, 1+rng.IntN(6), rng.IntN(3) == 0)
		if rng.IntN(3) == 0 { // in several blocks
			text = bytes.Join(bytes.SplitAfterN(text, []byte("\n"), 1+rng.IntN(6)), longLine)
		}
		if rng.IntN(3) == 0 {
			text = text[:rng.IntN(len(text))+1]
		}
		var o Options
		if rng.IntN(3) == 0 {
			o.Format = f
		}
		if rng.IntN(3) == 0 {
			o.For = provider.All()[rng.IntN(len(provider.All()))]
		}
		if r, ok := checkLong(t, text, o); !ok {
			mended++
		} else if copied++; len(r.Steps) > 0 {
			cut++
			restored, err := archiveOf(t, r.Archive).Restore(r.Text)
			if err != nil || !bytes.Equal(restored, text) {
				t.Fatalf("seed %d: restoring: %v", seed, err)
			}
		}
	}
	t.Logf("%d copied, of these %d cut off; %d not", copied, cut, mended)
	if copied < count/7 || cut < count/40 || mended < count/7 {
		t.Errorf("%d were copied, %d cut off, %d not", copied, cut, mended)
	}
}

// longLine is a line as long as a block.
var longLine = append(append([]byte(`{"type":"event_msg","timestamp":"t","payload":{"text":"`), bytes.Repeat([]byte("word "), 120_000)...), "\"}}\n"...)

func archiveOf(t *testing.T, line []byte) Archive {
	t.Helper()
	a, err := ReadArchive(bytes.NewReader(append(line, '\n')))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestLongDamaged checks that unreadable lines require the repair in memory, and that read errors are
// returned.
func TestLongDamaged(t *testing.T) {
	for _, text := range []string{"", " \n", "{\"type\":\"user\"}\n[", "{\"a\":1}\n{\"a\":1,\"a\":2}\n{}\n", "{\"a\":1}\n}\n{}\n", "{\"type\":"} {
		for _, f := range []format.Format{"", format.ClaudeCode, format.Codex, format.EAAPL} {
			checkLong(t, []byte(text), Options{Format: f})
		}
	}
	broken := errors.New("broken")
	_, _, err := Lines(jsonstream.LinesFile{In: failing{broken}, Start: jsonstream.NewRaw(nil).Start, End: 10}, jsonstream.Limits{}, Options{})
	if !errors.Is(err, broken) {
		t.Errorf("the error is %v", err)
	}
}

type failing struct{ err error }

func (f failing) ReadAt([]byte, int64) (int, error) { return 0, f.err }

func FuzzLong(f *testing.F) {
	for seed := range uint64(8) {
		f.Add(chatgen.Session(rand.New(rand.NewPCG(seed, 2)), []format.Format{format.ClaudeCode, format.Codex}[seed%2], 1, seed%3 == 0), uint16(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte, cut uint16) {
		text = bytes.TrimLeft(text, " \n\r\t")
		text = text[:len(text)-int(cut)%(len(text)+1)]
		checkLong(t, text, Options{})
		checkLong(t, text, Options{For: provider.Anthropic})
	})
}
