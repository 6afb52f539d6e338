package repair

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/oracle"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

var updateReturned = flag.Bool("update", false, "write testdata/returned with the answers of the SDKs")

const returned = "../../testdata/returned/histories.jsonl"

// TestReturned checks that a history as an SDK returns it is valid for its provider, and that repair does not
// change it.
func TestReturned(t *testing.T) {
	text, err := os.ReadFile(returned)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range bytes.Lines(text) {
		root := document(t, line).Root()
		p, raw := provider.Provider(root.Get("for").Text()), root.Get("history").Raw()
		n++
		t.Run(root.Get("of").Text(), func(t *testing.T) {
			h, err := history.Of(document(t, raw), "", jsonstream.Unlimited())
			if err != nil {
				t.Fatalf("%v: %s", err, raw)
			}
			for _, f := range provider.Check(p, h) {
				if f.Rule == "gemini/role-order" && strings.HasPrefix(root.Get("of").Text(), "@google/genai") {
					continue // its chats store the pieces of a stream as contents
				}
				t.Errorf("%s: %s %s: %s\n%s", f.Severity, f.Rule, f.Pointer, f.Message, raw)
			}
			for _, o := range []Options{{For: p}, {}} {
				if r := repaired(t, raw, o); len(r.Steps) > 0 || len(r.Left) > 0 || !bytes.Equal(r.Text, raw) {
					t.Errorf("repair for %q: %+v, left %+v\n%s", o.For, r.Steps, r.Left, raw)
				}
			}
		})
	}
	if n < 100 {
		t.Errorf("read only %d histories", n)
	}
}

// TestReturnedNow checks that the SDKs return these histories.
func TestReturnedNow(t *testing.T) {
	if !tier.Full() && !*updateReturned {
		t.Skipf("running all SDKs takes 10 s: set %s=1", tier.Variable)
	}
	now, err := exec.CommandContext(t.Context(), "node", filepath.Join(oracle.Install(t), "returned.mjs")).Output()
	if err != nil {
		t.Fatal(err)
	}
	if *updateReturned {
		if err := os.WriteFile(returned, now, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stored, err := os.ReadFile(returned)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(now, stored) {
		t.Errorf("%s is not what the SDKs return: run go test ./pkg/repair -run ReturnedNow -update, and read the difference", returned)
	}
}
