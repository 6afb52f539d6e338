package merkle

import (
	"errors"
	"slices"
	"testing"

	"github.com/eaapl/handoff/vectors"
)

// stepOf returns the name of an error in the conformance suite, "" for none.
func stepOf(err error) string {
	switch {
	case err == nil:
		return ""
	case errors.Is(err, ErrUnknownKey):
		return "unknown-key"
	case errors.Is(err, ErrSignature):
		return "signature"
	case errors.Is(err, ErrProof):
		return "path"
	}
	return "range"
}

// TestVectors checks the checkpoints and proofs of the conformance suite, one of them by the Go project's checksum database.
func TestVectors(t *testing.T) {
	n := 0
	for _, c := range vectors.Cases("audit") {
		if c.Operation != vectors.CheckCheckpoint && c.Operation != vectors.CheckProof || slices.Contains(c.Expected.Steps, "no-record") {
			continue
		}
		n++
		step := ""
		name, key, err := ParseVerifierKey(c.Input.VerifierKey)
		if err != nil {
			step = "verifier-key"
		} else if c.Operation == vectors.CheckCheckpoint {
			if step = "syntax"; parses(ParseCheckpoint([]byte(c.Input.Checkpoint))) {
				_, err := VerifyCheckpoint([]byte(c.Input.Checkpoint), name, key)
				step = stepOf(err)
			}
		} else if p, err := ParseProof([]byte(c.Input.Proof)); err != nil {
			step = "syntax"
		} else {
			if text, err := FormatProof(p); err != nil || string(text) != c.Input.Proof {
				t.Errorf("%s: written as %q, %v", c.ID, text, err)
			}
			record := []byte(c.Input.Record)
			if len(record) == 0 {
				record = p.Extra
			}
			_, err := VerifyProof(record, p, name, key)
			step = stepOf(err)
		}
		if c.Expected.Verdict == vectors.Valid && step != "" || c.Expected.Verdict != vectors.Valid && !slices.Contains(c.Expected.Steps, step) {
			t.Errorf("%s: got %q, want %+v", c.ID, step, c.Expected)
		}
	}
	if n < 80 {
		t.Errorf("only %d cases", n)
	}
}

func parses(_ Checkpoint, err error) bool { return err == nil }
