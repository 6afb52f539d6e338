package audit_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/vectors"
)

// TestVectors checks that the JSON of records is that of the conformance suite, to the byte, with the hashes that
// link them.
func TestVectors(t *testing.T) {
	n := 0
	for _, c := range vectors.Cases("audit") {
		if c.Operation != vectors.CheckRecords || c.Expected.Verdict != vectors.Valid {
			continue
		}
		var previous audit.Hash
		for _, text := range c.Input.Records {
			r := recordOf(t, string(text))
			got, err := r.AppendJSON(nil)
			if err != nil || string(got) != string(text) {
				t.Errorf("%s: %v\ngot  %s\nwant %s", c.ID, err, got, text)
			}
			if r.PreviousRecordHash != previous {
				t.Errorf("%s: record %d does not follow %s", c.ID, r.Sequence, previous)
			}
			if previous, err = r.Hash(); err != nil {
				t.Errorf("%s: %v", c.ID, err)
			}
			n++
		}
	}
	if n < 40 {
		t.Errorf("only %d records", n)
	}
}

// recordOf reads the JSON of a record, whose members have the names of its fields.
func recordOf(t *testing.T, text string) (r audit.Record) {
	t.Helper()
	var times struct {
		RecordedAt string `json:"recordedAt"`
	}
	if err := json.Unmarshal([]byte(text), &times); err != nil {
		t.Fatal(err)
	}
	at, err := time.Parse("2006-01-02T15:04:05.000000Z", times.RecordedAt)
	if err != nil {
		t.Fatal(err)
	}
	others := strings.Replace(text, `"recordedAt":"`+times.RecordedAt+`",`, "", 1)
	if err := json.UnmarshalRead(bytes.NewReader([]byte(others)), &r, json.MatchCaseInsensitiveNames(true), json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	r.RecordedAt = at
	return r
}
