package cli

import (
	"os"
	"path/filepath"
)

// ConfigDir returns the directory with the user's configuration of the program (XDG Base Directory
// Specification), "" if the user has no home directory.
func ConfigDir() string { return ofHandoff(ConfigHome()) }

// StateDir returns the directory with the program's state, "" if the user has no home directory.
func StateDir() string { return ofHandoff(userDir("XDG_STATE_HOME", filepath.Join(".local", "state"))) }

// ConfigHome returns the directory for the user's configuration of programs, "" if the user has no home
// directory.
func ConfigHome() string { return userDir("XDG_CONFIG_HOME", ".config") }

// DataHome returns the directory for the user's data files of programs, "" if the user has no home directory.
func DataHome() string { return userDir("XDG_DATA_HOME", filepath.Join(".local", "share")) }

// ofHandoff returns the program's subdirectory of dir, "" if dir is "".
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
