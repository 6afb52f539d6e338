package cmd

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
)

// TestHarms checks that what a project's file may set are settings, each of a type whose
// harm is understood.
func TestHarms(t *testing.T) {
	types := map[harm][]string{
		harmless: {"string", "bool", "stringSlice"},
		onlyTrue: {"bool"},
		onlyLess: {"int", "int64", "size", "duration"},
	}
	seen := map[string]bool{}
	visitConfigurable(newRoot(), func(command string, f *pflag.Flag) {
		kind, known := harms[f.Name]
		if !known {
			return
		}
		seen[f.Name] = true
		for _, name := range types[kind] {
			if f.Value.Type() == name {
				return
			}
		}
		t.Errorf("%s is a %s, whose harm is not understood", settingKey(command, f.Name), f.Value.Type())
	})
	for name := range harms {
		if !seen[name] {
			t.Errorf("%s is no setting", name)
		}
	}
}

// TestUnsafeConfig checks that a file which somebody else may have written is left out,
// unless the user has approved it as it is.
func TestUnsafeConfig(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the mode of a file says nothing of access lists")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	path := filepath.Join(dir, projectFile)
	if err := os.WriteFile(path, []byte("max-depth: 100"), 0o600); err != nil {
		t.Fatal(err)
	}

	for _, tt := range []struct {
		name, want string
		make       func() error
	}{
		{"writable by others", "writable by others (mode 0602)", func() error { return os.Chmod(path, 0o602) }},
		{"of another user", "owned by another user", func() error { return os.Chown(path, os.Getuid()+1, -1) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := cli.NewGlobals() // of a run
			if err := tt.make(); err != nil {
				t.Skipf("needs the right to give files away: %v", err)
			}
			list, warnings, err := layers(g)
			if err != nil || len(warnings) != 1 || !strings.HasSuffix(warnings[0], "left out, because it is "+tt.want) {
				t.Errorf("got warnings %q and error %v, want %q", warnings, err, tt.want)
			}
			if len(list) > 0 && list[len(list)-1].origin != "environment" {
				t.Errorf("%s counts", list[len(list)-1].origin)
			}
			file, err := readConfig(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := approve(g, file); err != nil {
				t.Fatal(err)
			}
			list, warnings, err = layers(g)
			if err != nil || len(warnings) != 0 || len(list) == 0 || list[len(list)-1].unapproved != "" {
				t.Errorf("approved: got %d layers, warnings %q and error %v", len(list), warnings, err)
			}
			// A record that others may have written approves of nothing.
			if err := os.Chmod(approvalPath(file.path), 0o666); err != nil {
				t.Fatal(err)
			}
			if got := approvalOf(file); got != unapproved {
				t.Errorf("a record that others can write to: got %v", got)
			}
			if _, err := withdraw(path); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// TestShownSetting checks that no secret that was set, or set by mistake, is shown.
func TestShownSetting(t *testing.T) {
	// Made-up values are put together here so that scanners do not report this file.
	const word, key = "tr0ub4dor", "a8Kd9Lw2Qp4Zx7Vb" + "1Nm3Rt6Yc5Ue0Hs8" + "Gj2Fk4"
	for _, text := range []string{
		"https://me:" + word + "@models.example.com/v1",
		"https://" + word + "@models.example.com/v1",
		"postgres://app:p@" + word + "@db/x",
		"https://models.example.com/v1?api_key=" + word,
		"ghp_" + key[:36],
		"https://me:" + word[:4] + "/" + word + "@host/",
		"//me:" + word + "@host/",
		"ask --password " + word,
		"Authorization: Bearer " + word,
		"API_KEY=" + word,
		key[:11] + "/" + key[11:25] + "+x",
		key,
		strings.Repeat("0a1b2c3d"+"4e5f6071", 4), // a key of 32 bytes in hexadecimal
		`{"kty":"oct","k":"` + key + `"}`,
		`strconv.ParseInt: parsing "` + key + `": invalid syntax`,
	} {
		got := cli.ShownSetting(text)
		for _, secret := range []string{word, key[:11], "0a1b2c3d"} {
			if strings.Contains(got, secret) {
				t.Errorf("%q is shown as %q", text, got)
			}
		}
	}
	for _, text := range []string{
		"/run/secrets/team-1.key", "sh classify.sh --model small", "https://models.example.com/v1",
		"8f14e45f-ceea-467f-a0e6-9b5c1d2e3f40", "constraint-form,unknown-member", "</CONVERSATION HISTORY>", "0.000001",
		"Planner-Agent@1.0.0", "openai.check.warnings-as-errors", "/home/Me/Projects2026/agents/keys/team", "[x]",
	} {
		if got := cli.ShownSetting(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}
