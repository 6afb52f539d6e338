package settings

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
)

// TestUnsafeConfig checks that a file that others can write is ignored, unless the user has
// approved its content.
func TestUnsafeConfig(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the mode of a file says nothing of access lists")
	}
	root := func() *cobra.Command {
		c := &cobra.Command{}
		c.PersistentFlags().Int("max-depth", 0, "")
		return c
	}
	tree := Tree{All: root, Some: func([]string) *cobra.Command { return root() }}
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
			g := cli.NewGlobals() // for one run
			if err := tt.make(); err != nil {
				t.Skipf("needs the right to give files away: %v", err)
			}
			list, warnings, err := tree.layers(g)
			if err != nil || len(warnings) != 1 || !strings.HasSuffix(warnings[0], "ignored, because it is "+tt.want) {
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
			list, warnings, err = tree.layers(g)
			if err != nil || len(warnings) != 0 || len(list) == 0 || list[len(list)-1].unapproved != "" {
				t.Errorf("approved: got %d layers, warnings %q and error %v", len(list), warnings, err)
			}
			// An approval in a file that others can write does not count.
			if err := os.Chmod(approvalPath(file.path), 0o666); err != nil {
				t.Fatal(err)
			}
			if got := approvalOf(file); got != unapproved {
				t.Errorf("a record that others can write to: got %v", got)
			}
			if _, err := Withdraw(path); err != nil {
				t.Fatal(err)
			}
		})
	}
}
