package checkup

import (
	"os"
	"path/filepath"
	"testing"
)

// TestHideHome checks that the user's home is shown as ~, and no other folder is.
func TestHideHome(t *testing.T) {
	home := filepath.Join(t.TempDir(), "ann")
	t.Setenv("HOME", home)
	t.Setenv("USERPROFILE", home)
	sep := string(os.PathSeparator)
	for in, want := range map[string]string{
		home:                                  "~",
		home + sep + "a: no such file":        "~" + sep + "a: no such file",
		home + "e" + sep + "a":                home + "e" + sep + "a",
		"sqlite:" + home + sep + "a, " + home: "sqlite:~" + sep + "a, ~",
		"elsewhere":                           "elsewhere",
	} {
		if got := HideHome(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}
