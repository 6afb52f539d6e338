package cmd

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/cli"
)

func TestUnknownKey(t *testing.T) {
	for _, tt := range []struct{ name, file, want string }{
		{"flag of every command", "max-depth: 5", ""},
		{"flag of some command", "threshold: 0.5", ""},
		{"below a command", "validate: {format: json}", ""},
		{"below a command of a command", "openai: {check: {format: json}}", ""},
		{"several", "max-depth: 5\nvalidate: {format: json}\nscan: {format: json}", ""},
		{"no flag", "nosuch: 1", `unknown key "nosuch"`},
		{"no flag of this command", "keygen: {format: json}", `unknown key "keygen.format"`},
		{"no command", "nosuch: {format: json}", `unknown key "nosuch.format"`},
		{"two, told in order", "zzz: 1\nvalidate: {aaaaaa: 1}", `unknown key "validate.aaaaaa"`},
		{"about one call", "output: x", `unknown key "output"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "handoff.yaml")
			if err := os.WriteFile(path, []byte(tt.file), 0o600); err != nil {
				t.Fatal(err)
			}
			file, err := readConfig(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = file.layer()
			if (err == nil) != (tt.want == "") || err != nil && !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestNamedIn checks that the commands which a key names are enough to know it.
func TestNamedIn(t *testing.T) {
	for _, s := range settings(newRoot()) {
		if key := unknownKey(settingNames(newTree(cli.NewGlobals(), namedIn([]string{s.Key}))), []string{s.Key}); key != "" {
			t.Errorf("%s is not known", key)
		}
	}
}

// TestConfigReadsBack checks that what config prints of every setting can be set again.
func TestConfigReadsBack(t *testing.T) {
	for _, s := range settings(newRoot()) {
		if err := set(s.flag, []string{s.Value}); err != nil {
			t.Errorf("%s: %q: %v", s.Key, s.Value, err)
		}
		if got := settingText(s.flag); got != s.Value {
			t.Errorf("%s: %q reads back as %q", s.Key, s.Value, got)
		}
	}
}
