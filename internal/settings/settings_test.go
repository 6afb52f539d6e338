package settings_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/cmd"
	"github.com/eaapl/handoff/internal/program"
	"github.com/eaapl/handoff/internal/settings"
	relay "github.com/eaapl/handoff/relay/cmd"
)

// TestHarms checks that a project's file may set only settings, each of a type whose harm is
// known.
func TestHarms(t *testing.T) {
	types := map[settings.Harm][]string{
		settings.Harmless: {"string", "bool", "stringSlice"},
		settings.OnlyTrue: {"bool"},
		settings.OnlyLess: {"int", "int64", "size", "duration"},
	}
	seen := map[string]bool{}
	settings.VisitConfigurable(cmd.New().Root(), func(command string, f *pflag.Flag) {
		kind, known := settings.Harms[f.Name]
		if !known {
			return
		}
		seen[f.Name] = true
		for _, name := range types[kind] {
			if f.Value.Type() == name {
				return
			}
		}
		t.Errorf("%s is a %s, whose harm is not understood", command+"."+f.Name, f.Value.Type())
	})
	for name := range settings.Harms {
		if !seen[name] {
			t.Errorf("%s is no setting", name)
		}
	}
}

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
			err := cmd.New().Settings().ReadFile(path)
			if (err == nil) != (tt.want == "") || err != nil && !strings.HasSuffix(err.Error(), tt.want) {
				t.Errorf("got %v, want %q", err, tt.want)
			}
		})
	}
}

// TestSomeCommandsKnowTheirKeys checks that the commands named by a key are enough to recognize it.
func TestSomeCommandsKnowTheirKeys(t *testing.T) {
	for _, p := range []*program.Program{cmd.New(), relay.New()} {
		tree := p.Settings()
		for _, s := range tree.Defaults() {
			if !tree.Knows(s.Key) {
				t.Errorf("%s is not known", s.Key)
			}
		}
	}
}

// TestConfigReadsBack checks that the output of config for every setting can be set again.
func TestConfigReadsBack(t *testing.T) {
	for _, s := range cmd.New().Settings().Defaults() {
		if err := settings.Set(s.Flag, []string{s.Value}); err != nil {
			t.Errorf("%s: %q: %v", s.Key, s.Value, err)
		}
		if got := settings.Text(s.Flag); got != s.Value {
			t.Errorf("%s: %q reads back as %q", s.Key, s.Value, got)
		}
	}
}
