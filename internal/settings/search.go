package settings

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// projectFile is the name of a project's configuration file.
const projectFile = "handoff.yaml"

// configFiles returns the configuration files that count, the strongest first: those of the
// project, then the user's own.
func configFiles() ([]configFile, error) {
	files, err := projectConfigs()
	if err != nil {
		return nil, err
	}
	path := userConfigPath()
	if path == "" {
		return files, nil
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	own, err := readConfig(path)
	return append(files, own), err
}

// projectConfigs returns each handoff.yaml from the working directory up to the first that
// is approved, at most to the root of the repository: one that is not approved does not take
// away what an approved one above it sets.
func projectConfigs() ([]configFile, error) {
	var files []configFile
	dir, err := os.Getwd()
	if err != nil {
		return nil, fmt.Errorf("the working directory: %w", term.PlainError(err))
	}
	for {
		path := filepath.Join(dir, projectFile)
		if _, err := os.Lstat(path); err == nil {
			file, err := readProjectConfig(path)
			if err != nil {
				return nil, err
			}
			if files = append(files, file); file.unapproved == "" {
				return files, nil
			}
		}
		_, err := os.Stat(filepath.Join(dir, ".git"))
		parent := filepath.Dir(dir)
		if err == nil || parent == dir {
			return files, nil
		}
		dir = parent
	}
}

func readProjectConfig(path string) (configFile, error) {
	file, err := readConfig(path)
	if err != nil {
		return configFile{}, err
	}
	switch approvalOf(file) {
	case approved:
		file.unsafe = "" // whoever could have changed it has not
	case changed:
		file.unsafe = "" // nor is it left out: the user relies on what it set
		file.unapproved = "a project's file that has changed since you approved it"
	default:
		file.unapproved = "a project's file that you have not approved"
	}
	return file, nil
}

// userConfigPath returns where the user's own file is; "" if there is no place for it.
func userConfigPath() string {
	dir := cli.ConfigDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "config.yaml")
}
