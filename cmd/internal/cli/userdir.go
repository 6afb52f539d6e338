package cli

import (
	"os"
	"path/filepath"
)

// ConfigDir returns where the user configures the program (XDG Base Directory Specification),
// "" if the user has no home.
func ConfigDir() string { return userDir("XDG_CONFIG_HOME", ".config") }

// StateDir returns where the program keeps what it knows between runs, "" if the user has no
// home.
func StateDir() string { return userDir("XDG_STATE_HOME", filepath.Join(".local", "state")) }

func userDir(variable, below string) string {
	dir := os.Getenv(variable)
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, below)
	}
	return filepath.Join(dir, "handoff")
}
