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

// configFiles returns the configuration files in descending precedence: the project's, then the user's own.
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

// projectConfigs returns each handoff.yaml from the working directory up to the first approved one, at most
// up to the root of the repository: an unapproved file does not cancel the settings of an approved one above
// it.
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
		file.unsafe = "" // nobody who could have changed it did
	case changed:
		file.unsafe = "" // an approved file is not ignored: the user relies on it
		file.unapproved = "a project's file that has changed since you approved it"
	default:
		file.unapproved = "a project's file that you have not approved"
	}
	return file, nil
}

// userConfigPath returns the path of the user's own file; "" if there is none.
func userConfigPath() string {
	dir := cli.ConfigDir()
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "config.yaml")
}
