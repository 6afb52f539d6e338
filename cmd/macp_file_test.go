package cmd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/programtest"
	"github.com/eaapl/handoff/internal/tier"
	"github.com/eaapl/handoff/pkg/formats/macp"
	"github.com/eaapl/handoff/pkg/formats/macp/wire"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestAppendAtOnce appends to one transcript by many processes at the same time, and checks that it has each
// message once and follows the rules.
func TestAppendAtOnce(t *testing.T) {
	processes := tier.Count(8, 24)
	for _, tt := range []struct {
		name, file string
		wire       bool
	}{
		{name: "json", file: "s.json"},
		{name: "compressed", file: "s.json.gz"},
		{name: "wire", file: "s.macp", wire: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			file := filepath.Join(dir, tt.file)
			on := func(args ...string) []string {
				if tt.wire {
					args = append(args, "--wire")
				}
				return args
			}
			programtest.Run(t, on("macp", "start", file, "--participant", "alice", "--participant", "bob")...)
			programtest.Run(t, on("macp", "offer", file)...)
			context := filepath.Join(dir, "context.txt")
			if err := os.WriteFile(context, []byte("what bob needs"), 0o600); err != nil {
				t.Fatal(err)
			}
			var ids sync.Map
			var all sync.WaitGroup
			for range processes {
				all.Go(func() { ids.Store(programtest.Run(t, on("macp", "context", file, "--context", context)...), true) })
			}
			all.Wait()

			doc := transcriptIn(t, file, tt.wire)
			if violations := macp.Check(doc, macp.Options{}); len(violations) > 0 {
				t.Errorf("violations: %v", violations)
			}
			found := 0
			for _, m := range doc.Root().Get("messages").Elements() {
				if _, printed := ids.Load(m.Get("message_id").Text()); printed {
					found++
				}
			}
			if found != processes {
				t.Errorf("%d messages are in the transcript, want %d", found, processes)
			}
			left, err := filepath.Glob(filepath.Join(dir, ".*"))
			if err != nil || len(left) > 0 && runtime.GOOS != "windows" { // Windows cannot remove an open file
				t.Errorf("files remain: %v (%v)", left, err)
			}
		})
	}
}

// transcriptIn reads a transcript of one session.
func transcriptIn(t *testing.T, file string, onWire bool) *jsonstream.Document {
	t.Helper()
	text, err := cli.NewGlobals().ReadAll(file, nil, jsonstream.Limits{MaxBytes: 1 << 20})
	if err == nil && onWire {
		var list []wire.Transcript
		if list, err = wire.Decode(bytes.NewReader(text), jsonstream.Limits{}); err == nil {
			text = list[0].Text
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// TestStartAtOnce creates one transcript by many processes, and checks that exactly one succeeds.
func TestStartAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s.json")
	var created sync.Map
	var all sync.WaitGroup
	for range 12 {
		all.Go(func() {
			out, err := exec.Command("handoff", "macp", "start", file, "--participant", "a", "--participant", "b").Output()
			if err == nil {
				created.Store(strings.TrimSpace(string(out)), true)
			}
		})
	}
	all.Wait()
	got := map[string]bool{}
	for id := range created.Range {
		got[id.(string)] = true
	}
	want := map[string]bool{transcriptIn(t, file, false).Root().Get("session_id").Text(): true}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sessions (-in the file +printed):\n%s", diff)
	}
}
