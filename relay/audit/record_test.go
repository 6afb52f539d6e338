package audit_test

import (
	"bytes"
	"fmt"
	"log"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/eaapl/handoff/relay/audit"
)

func ExampleRecord_AppendJSON() {
	r := audit.Record{
		Event: audit.Accepted, HandoffID: "h1", TaskID: "t1", Sender: "planner", Receiver: "writer", Attempt: 1, CostSpentUSD: "0.10",
		RecordedAt: time.Date(2026, 6, 12, 9, 30, 0, 0, time.UTC),
	}
	text, err := r.AppendJSON(nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s\n", text)
	// Output: {"attempt":1,"costSpentUSD":"0.10","event":"ACCEPTED","handoffId":"h1","previousRecordHash":"sha256:0000000000000000000000000000000000000000000000000000000000000000","receiver":"writer","recordedAt":"2026-06-12T09:30:00.000000Z","sender":"planner","sequence":0,"taskId":"t1"}
}

// TestRecordIsCanonical checks that the JSON of any record is canonical (RFC 8785).
func TestRecordIsCanonical(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String()
		code := rapid.IntRange(-1, 255).Draw(t, "code")
		r := audit.Record{
			Event: rapid.SampledFrom(audit.Events()).Draw(t, "event"), Sequence: rapid.Int64Range(0, 1<<53).Draw(t, "sequence"),
			HandoffID: text.Draw(t, "id"), TaskID: text.Draw(t, "task"), Sender: text.Draw(t, "sender"), KeyID: text.Draw(t, "key"),
			RecordedAt: time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "at")), MessageDigest: audit.Hash{1},
			Details: audit.Details{
				By: text.Draw(t, "by"), ExitCode: &code, Receivers: rapid.SliceOf(text).Draw(t, "receivers"), Compressed: rapid.Bool().Draw(t, "compressed"),
				Findings: []audit.Finding{{Rule: "a", Pointer: text.Draw(t, "pointer"), Message: text.Draw(t, "message")}},
			},
		}
		got, err := r.AppendJSON(nil)
		if err != nil {
			t.Fatal(err)
		}
		want := jsontext.Value(bytes.Clone(got))
		if err := want.Canonicalize(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("got\n%s\nwant\n%s", got, want)
		}
	})
}

func FuzzHash(f *testing.F) {
	f.Add(audit.Hash{1}.String())
	f.Add("sha256:AB")
	f.Fuzz(func(t *testing.T, text string) {
		var h audit.Hash
		if err := h.UnmarshalText([]byte(text)); err == nil && h.String() != text {
			t.Errorf("%q was read as %s", text, h)
		}
	})
}
