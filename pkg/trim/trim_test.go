package trim

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/summarize"
	"github.com/eaapl/handoff/pkg/tokens"
)

// story returns the turns of a conversation of n tokens.
func story(count func(string) int, size int) (turns []string) {
	for n, i := 0, 0; n < size; i++ {
		ask := fmt.Sprintf("Please look at section %d of the contract with Northwind, and tell me what it says about the payment of invoice INV-%04d.", i, i*37)
		answer := fmt.Sprintf("Section %d asks for payment within %d days. We decided to flag it, because the policy demands 30 days at most. "+
			"It goes on at some length about deliveries, which is usual and needs no attention from us here.", i, 31+i%60)
		turns = append(turns, `{"role":"user","content":"`+ask+`"}`, `{"role":"assistant","content":"`+answer+`"}`)
		n += count(ask) + count(answer) + 2*(tokens.PerMessage+1)
	}
	return turns
}

func realMeter(t testing.TB) history.Meter {
	t.Helper()
	c, err := tokens.New(tokens.O200kBase)
	if err != nil {
		t.Fatal(err)
	}
	return history.Meter{Count: c.Count, PerTurn: tokens.PerMessage, PerName: tokens.PerName, PerReply: tokens.PerReply}
}

// Section 13.2, context compression: "build a handoff with 50K tokens of
// conversation history. Assert the compression step fires, the output message is
// under the context window threshold, and the summary is non-empty." Section 7.1
// names the other sizes; section 6.4 keeps the last five turns and compresses above
// 80% of the receiver's context window.
func TestSpec13_2ContextCompression(t *testing.T) {
	meter := realMeter(t)
	for _, size := range []int{5_000, 10_000, 20_000, 50_000} {
		turns := story(meter.Count, size)
		text := `{"handoffId":"h","conversationHistorySummary":"","conversationHistoryVerbatim":[` + strings.Join(turns, ",") + `]}`
		window := size / 4
		o := Options{
			MaxTokens: window * 8 / 10, KeepTurns: DefaultKeepTurns, Meter: meter, Tokenizer: string(tokens.O200kBase),
			Summarizer: summarize.Extractive{}, Method: Extractive,
		}
		r := mustTrim(t, text, o)
		h := open(t, r.Text)
		after := h.Measure(meter).Total
		if !r.Changed || after > o.MaxTokens || r.Record.TokensAfter != after {
			t.Errorf("%d tokens: changed %v, %d after, %d recorded, limit %d", size, r.Changed, after, r.Record.TokensAfter, o.MaxTokens)
		}
		if r.Record.TokensBefore < size {
			t.Errorf("%d tokens: only %d before", size, r.Record.TokensBefore)
		}
		if summary := h.Root.Get("conversationHistorySummary").Text(); meter.Count(summary) < 20 || !strings.Contains(summary, "We decided to flag it") {
			t.Errorf("%d tokens: summary %q", size, summary)
		}
		var last []string
		for _, turn := range h.Turns[len(h.Turns)-DefaultKeepTurns:] {
			last = append(last, string(turn.Value.Raw()))
		}
		if diff := cmp.Diff(turns[len(turns)-DefaultKeepTurns:], last); diff != "" {
			t.Errorf("%d tokens: the last turns: %s", size, diff)
		}
		// The whole window is large enough: below the threshold nothing happens.
		o.MaxTokens = r.Record.TokensBefore
		if r := mustTrim(t, " "+text+"\n", o); r.Changed || string(r.Text) != " "+text+"\n" {
			t.Errorf("%d tokens: fired below the threshold", size)
		}
	}
}

func mustTrim(t testing.TB, text string, o Options) Result {
	t.Helper()
	r, err := trimText(t, text, o)
	if err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
	return r
}

func trimText(t testing.TB, text string, o Options) (Result, error) {
	t.Helper()
	if o.Meter.Count == nil {
		o.Meter = quarters
	}
	return Message(context.Background(), document(t, []byte(text)), jsonstream.Limits{}, o)
}

// restored returns the message before a trim, in compact JSON.
func restored(t testing.TB, text []byte, archive ...Result) string {
	t.Helper()
	back, err := archiveOf(t, archives(archive)...).Restore(document(t, text), "", jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return plain(back)
}

// bare returns a text without the record, which other tests check.
func bare(t testing.TB, text []byte) string {
	t.Helper()
	for _, place := range []string{"extensions", "metadata"} {
		doc := document(t, text)
		if doc.Root().Get(place).Get(recordMember).Exists() {
			var err error
			if text, err = jsonstream.Remove(doc, "/"+place); err != nil {
				t.Fatal(err)
			}
		}
	}
	return string(jsonstream.AppendCompact(nil, text))
}

// SW4RM: the last messages stay, and the metadata records that.
func TestLast(t *testing.T) {
	var turns []string
	for i := range 60 {
		turns = append(turns, fmt.Sprintf(`{"role":"user","content":"%d"}`, i))
	}
	text := `{"conversation_history":[` + strings.Join(turns, ",") + `],"tool_state":{},"metadata":{"a":1}}`
	r := mustTrim(t, text, Options{Last: DefaultLast, KeepTurns: DefaultKeepTurns})
	h := open(t, r.Text)
	if len(h.Turns) != 50 || h.Turns[0].Text() != "10" {
		t.Errorf("%d turns from %s", len(h.Turns), h.Turns[0].Text())
	}
	m := h.Root.Get("metadata")
	if string(m.Get("original_history_length").Raw()) != "60" || m.Get("trimmed").Kind() != jsonstream.True || string(m.Get("a").Raw()) != "1" {
		t.Errorf("metadata %s", m.Raw())
	}
	if got := restored(t, r.Text, r); got != text {
		t.Errorf("restored %s", got)
	}
}

// Instructions, the last question and the latest turns stay; the oldest are removed first.
func TestWhatStays(t *testing.T) {
	turns := `{"role":"system","content":"s1"},{"role":"user","content":"u1"},{"role":"developer","content":"d1"},{"role":"assistant","content":"a1"},` +
		`{"role":"user","content":"u2"},{"role":"assistant","content":[{"type":"tool_use","id":"1","input":{}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"r"}]},{"role":"assistant","content":"a2"}`
	for _, tt := range []struct {
		name string
		o    Options
		want string
	}{
		{"nothing but what must", Options{Last: 4, KeepTurns: 1}, "s1 d1 u2 a2"},
		{"the oldest go first", Options{Last: 6, KeepTurns: 1}, "s1 d1 u2 {} r a2"},
		{"a call stays with its result", Options{Last: 6, KeepTurns: 2}, "s1 d1 u2 {} r a2"},
		{"no more goes than need be", Options{Last: 7, KeepTurns: 2}, "s1 d1 a1 u2 {} r a2"},
		{"roles", Options{Roles: []string{"user", "assistant"}}, "u1 a1 u2 {} r a2"},
		{"results leave with their calls", Options{Roles: []string{"user"}}, "u1 u2"},
		{"without tools", Options{DropTools: true}, "s1 u1 d1 a1 u2 a2"},
		{"both, and a limit", Options{DropTools: true, Roles: []string{"user", "assistant"}, Last: 2, KeepTurns: 1}, "u2 a2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := `{"handoffId":"h","conversationHistoryVerbatim":[` + turns + `]}`
			r := mustTrim(t, text, tt.o)
			var got []string
			for _, turn := range open(t, r.Text).Turns {
				got = append(got, turn.Text())
			}
			if got := strings.Join(got, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			if got := restored(t, r.Text, r); got != text {
				t.Errorf("restored %s", got)
			}
		})
	}
}

// The record covers all trims, and its digest can be recomputed from the removed turns.
func TestRecord(t *testing.T) {
	first, second := `{"role":"user","content":"one"}`, `{"content":"two","role":"assistant","x":1.50}`
	rest := `{"role":"user","content":"three"},{"role":"assistant","content":"four"}`
	text := `{"handoffId":"h","conversationHistoryVerbatim":[` + first + `,` + second + `,` + rest + `]}`
	o := Options{Last: 3, KeepTurns: 1, Tokenizer: "quarters", Method: "none"}
	a := mustTrim(t, text, o)
	sum := sha256.Sum256([]byte(`[{"content":"one","role":"user"}]`))
	want := Record{
		OriginalTurns: 4, DroppedTurns: 1, TokensBefore: sizeOf(open(t, []byte(text)), nil).tokens, TokensAfter: sizeOf(open(t, a.Text), nil).tokens,
		Tokenizer: "quarters", Method: "none", SHA256: hex.EncodeToString(sum[:]),
	}
	if diff := cmp.Diff(want, a.Record); diff != "" {
		t.Error(diff)
	}
	written := open(t, a.Text).Root.At("/extensions/trim").Raw()
	if string(written) != string(a.Record.text()) {
		t.Errorf("wrote %s", written)
	}

	o.Last = 2
	b := mustTrim(t, string(a.Text), o)
	sum = sha256.Sum256([]byte(`[{"content":"two","role":"assistant","x":1.5}]`))
	if r := b.Record; r.OriginalTurns != 4 || r.DroppedTurns != 2 || r.TokensBefore != a.Record.TokensAfter || r.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("after the second trim: %+v", r)
	}
	more := appendTurn(t, b.Text, `{"role":"user","content":"five"}`)
	c := mustTrim(t, string(more), o)
	if r := c.Record; r.OriginalTurns != 5 || r.DroppedTurns != 3 || c.Gone != 1 {
		t.Errorf("after the third trim: %+v", r)
	}
	if got, want := restored(t, c.Text, a, b, c), string(appendTurn(t, []byte(text), `{"role":"user","content":"five"}`)); got != want {
		t.Errorf("restored %s", got)
	}
}

// TestForeignRecord checks that a value in the place of the record that is not a record is kept, and
// never overwritten.
func TestForeignRecord(t *testing.T) {
	const turns = `,"conversationHistoryVerbatim":[{"role":"user","content":"one"},{"role":"user","content":"two"}]}`
	for _, tt := range []struct{ in, err string }{
		{`{"handoffId":"h","extensions":{"trim":"yes"}` + turns, "/extensions/trim: this member is reserved for the record of the trim: found string that is not a record; rename this member"},
		{`{"handoffId":"h","extensions":{"trim":null}` + turns, "found null that is not a record; "},
		{`{"handoffId":"h","extensions":{"trim":{"other":[1]},"a":1}` + turns, "found object that is not a record; "},
		{`{"handoffId":"h","extensions":{"trim":{"sha256":"abc"}}` + turns, "found object that is not a record; "},
		{`{"handoffId":"h","extensions":"text"` + turns, "/extensions: expected an object for the record of the trim: found string; rename this member"},
		{`{"handoffId":"h","extensions":null` + turns, ""},
	} {
		if same := mustTrim(t, tt.in, Options{Last: 2}); same.Changed || string(same.Text) != tt.in {
			t.Errorf("where nothing has to go: %s", same.Text)
		}
		r, err := trimText(t, tt.in, Options{Last: 1})
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "Record") {
				t.Errorf("got %v", err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if got := restored(t, r.Text, r); got != tt.in {
			t.Errorf("restored %s", got)
		}
	}
}

// An unreadable record is an error, because later counts depend on it.
func TestDamagedRecord(t *testing.T) {
	text := `{"handoffId":"h","extensions":{"trim":{"droppedTurns":"x","sha256":"` + strings.Repeat("0", 64) + `"}}}`
	const want = "/extensions/trim: not a record of trim: /droppedTurns: unexpected string"
	if _, err := trimText(t, text, Options{Last: 1}); err == nil || err.Error() != want {
		t.Errorf("got %v", err)
	}
}

// A message that cannot fit is an error with the excess and the large members.
func TestOver(t *testing.T) {
	long := strings.Repeat("x", 400)
	text := `{"handoffId":"h","big":"` + long + `","conversationHistoryVerbatim":[{"role":"user","content":"` + long + `"}]}`
	has := sizeOf(open(t, []byte(text)), []byte(text))
	for _, tt := range []struct {
		name string
		o    Options
		want OverError
	}{
		{"tokens", Options{MaxTokens: 150}, OverError{has.tokens - 150, 150, "tokens", []history.MemberSize{{Name: "conversationHistoryVerbatim", Size: 104}, {Name: "big", Size: 100}, {Name: "handoffId", Size: 1}}, 3}},
		{"bytes", Options{MaxBytes: 500}, OverError{has.bytes - 500, 500, "bytes", []history.MemberSize{{Name: "conversationHistoryVerbatim", Size: 429}, {Name: "big", Size: 402}, {Name: "handoffId", Size: 3}}, 53}},
	} {
		_, err := trimText(t, text, tt.o)
		over := (*OverError)(nil)
		if !errors.As(err, &over) {
			t.Fatalf("%s: got %v", tt.name, err)
		}
		if diff := cmp.Diff(tt.want, *over); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
	}
	// The record is included, and so are members too small to be named.
	text = `{"taskId":"t","conversationHistoryVerbatim":[{"role":"user","content":"a"},{"role":"user","content":"b"}],"a":1,"x\u001b\ny":"` + long + `"}`
	_, err := trimText(t, text, Options{MaxTokens: 100, KeepTurns: 1})
	over := (*OverError)(nil)
	if !errors.As(err, &over) {
		t.Fatal(err)
	}
	sum := over.Others
	for _, m := range over.Rest {
		sum += m.Size
	}
	if sum != over.Limit+over.Over || over.Rest[1].Name != "extensions.trim" {
		t.Errorf("%d of %d in %v", sum, over.Limit+over.Over, over)
	}
	if want := `; the rest is in "x\u001b\ny" 100, extensions.trim `; !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), ", everything else ") {
		t.Errorf("got %v", err)
	}
	two := `{"conversation_history":[{"role":"system","content":"a"},{"role":"user","content":"b"}]}`
	if _, err := trimText(t, two, Options{Last: 1}); err == nil || !strings.HasPrefix(err.Error(), "still 1 turn over the limit of 1 ") {
		t.Errorf("got %v", err)
	}
}

// TestSignature checks that a signature that is no longer valid is removed, and that restoring puts it
// back in its place.
func TestSignature(t *testing.T) {
	text := `{"signatureKeyId":"k","handoffId":"h","signature":"s","conversationHistoryVerbatim":[{"role":"user","content":"a"},{"role":"user","content":"b"}],"z":0}`
	r := mustTrim(t, text, Options{Last: 1})
	if got, want := bare(t, r.Text), `{"handoffId":"h","conversationHistoryVerbatim":[{"role":"user","content":"b"}],"z":0}`; got != want || !r.Signed {
		t.Errorf("signed %v, got %s", r.Signed, got)
	}
	if got := restored(t, r.Text, r); got != text {
		t.Errorf("restored %s", got)
	}
}
