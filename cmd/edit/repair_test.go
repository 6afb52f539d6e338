package edit

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/cli"
)

// TestRepairKeepsBytes checks that a message without faults is copied byte for byte, that its file is not
// rewritten, and that a repaired message is restored byte for byte, including the white space around it.
func TestRepairKeepsBytes(t *testing.T) {
	const sound, torn = `[{"role":"user","content":"x"}]`, `[{"role":"tool","tool_call_id":"c","content":"x"}]`
	for _, text := range []string{
		sound, sound + "\n", sound + "\r\n", "  " + sound + "\t\n\n", sound + "\r\n" + sound + "\r\n", sound + sound,
		torn, "\n" + torn + "\r\n", torn + "\n\n" + sound, sound + "\r\n" + torn,
	} {
		dir := t.TempDir()
		path, archive := filepath.Join(dir, "history.json"), filepath.Join(dir, "archive.jsonl")
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		old := time.Unix(1e9, 0)
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
		repair := func(args ...string) []byte {
			t.Helper()
			var out bytes.Buffer
			c := NewRepair(cli.NewGlobals())
			c.SetArgs(append(args, path))
			c.SetOut(&out)
			c.SetErr(&bytes.Buffer{})
			if err := c.Execute(); err != nil {
				t.Fatalf("%q, repair %q: %v", text, args, err)
			}
			return out.Bytes()
		}
		is := func(want bool, got []byte, what string) {
			t.Helper()
			if (string(got) == text) != want {
				t.Errorf("%q, %s: %q", text, what, got)
			}
		}
		read := func() []byte {
			t.Helper()
			got, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		isSound := !bytes.Contains([]byte(text), []byte("tool"))
		is(isSound, repair(), "repaired")
		repair("-i", "--archive", archive)
		is(isSound, read(), "repaired in place")
		if info, err := os.Stat(path); err != nil || info.ModTime().Equal(old) != isSound {
			t.Errorf("%q: rewritten: %v, %v", text, !info.ModTime().Equal(old), err)
		}
		if !isSound {
			is(true, repair("--restore", archive), "restored")
			repair("-i", "--restore", archive)
			is(true, read(), "restored in place")
		}
	}
}
