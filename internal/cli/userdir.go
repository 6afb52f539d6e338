package cli

import (
	"os"
	"path/filepath"
)

// ConfigDir returns where the user configures the program (XDG Base Directory Specification),
// "" if the user has no home.
func ConfigDir() string { return ofHandoff(ConfigHome()) }

// StateDir returns where the program keeps what it knows between runs, "" if the user has no
// home.
func StateDir() string { return ofHandoff(userDir("XDG_STATE_HOME", filepath.Join(".local", "state"))) }

// ConfigHome returns where the user configures programs, "" if the user has no home.
func ConfigHome() string { return userDir("XDG_CONFIG_HOME", ".config") }

// DataHome returns where the user has what programs read, "" if the user has no home.
func DataHome() string { return userDir("XDG_DATA_HOME", filepath.Join(".local", "share")) }

// ofHandoff returns the program's place in a folder, "" if there is none.
func ofHandoff(dir string) string {
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "handoff")
}

func userDir(variable, below string) string {
	dir := os.Getenv(variable)
	if !filepath.IsAbs(dir) {
		home, err := os.UserHomeDir()
		if err != nil || !filepath.IsAbs(home) {
			return ""
		}
		dir = filepath.Join(home, below)
	}
	return dir
}
