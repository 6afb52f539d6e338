package cmd

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"github.com/spf13/viper"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/cmd/internal/term"
	"github.com/eaapl/handoff/pkg/yamldoc"
)

// projectFile is the name of a project's configuration file.
const projectFile = "handoff.yaml"

// A configFile is a configuration file as it was read, once: what is approved is what is
// used.
type configFile struct {
	path   string // as configPlace returns it: a link is not what it leads to
	text   []byte
	unsafe string // why nobody but its author should believe it, "" if somebody may
	// unapproved says why only what is harmless may be set by it; "" if anything may.
	unapproved string
}

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
	dir := userDir("XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "config.yaml")
}

// userDir returns the program's directory in a base directory of the user, as the XDG
// specification has them; "" if the user has no home.
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

// readConfig reads a configuration file. The error names it.
func readConfig(path string) (configFile, error) {
	f := configFile{path: path}
	if err := f.read(); err != nil {
		return configFile{}, fmt.Errorf("%s: %w", term.Visible(path), term.PlainError(err))
	}
	return f, nil
}

// configPlace returns the place of a configuration file, which need not be there: an absolute
// path without links of directories.
func configPlace(path string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(absolute)); err == nil {
		absolute = filepath.Join(dir, filepath.Base(absolute))
	}
	return absolute, nil
}

func (f *configFile) read() (err error) {
	if f.path, err = configPlace(f.path); err != nil {
		return err
	}
	info, err := os.Stat(f.path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("is not a regular file")
	}
	file, err := os.Open(f.path)
	if err != nil {
		return err
	}
	defer file.Close() // read only: nothing can be lost
	if info, err = file.Stat(); err != nil {
		return err
	}
	f.unsafe = unsafeFile(info)
	f.text, err = io.ReadAll(io.LimitReader(file, yamldoc.MaxBytes+1))
	return err
}

// unsafeFile says why others may have written a file, "" if only the user or the
// system's administrator can have.
func unsafeFile(info fs.FileInfo) string {
	switch {
	case ownedByAnother(info):
		return "owned by another user"
	case writableByOthers(info):
		return fmt.Sprintf("writable by others (mode %04o)", info.Mode().Perm())
	default:
		return ""
	}
}

// layer returns what the file sets. Its keys are names of flags, for every command that
// has them or, below a command's name, for that command.
func (f configFile) layer() (layer, error) {
	v, err := f.parse()
	if err != nil {
		return layer{}, err
	}
	lookup := func(command, flag string) ([]string, string, bool) {
		for _, key := range []string{command + "." + flag, flag} {
			// What is below a command may have the name of a flag, such as verify.
			value := v.Get(key)
			if _, section := value.(map[string]any); v.IsSet(key) && !section {
				return values(value), key, true
			}
		}
		return nil, "", false
	}
	return layer{origin: f.path, lookup: lookup, isFile: true, unapproved: f.unapproved}, nil
}

// parse reads the file's text. The error names the file.
func (f configFile) parse() (*viper.Viper, error) {
	tree, err := yamldoc.Decode(f.text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(f.path), err)
	}
	settings, ok := tree.(map[string]any)
	if !ok && tree != nil {
		return nil, fmt.Errorf("%s: does not hold settings: write them like \"max-depth: 100\"", term.Visible(f.path))
	}
	v := viper.New()
	if err := v.MergeConfigMap(settings); err != nil {
		return nil, fmt.Errorf("%s: %w", term.Visible(f.path), err)
	}
	keys := v.AllKeys()
	slices.Sort(keys)
	if unknownKey(newTree(cli.NewGlobals(), namedIn(keys)), keys) != "" {
		if key := unknownKey(newRoot(), keys); key != "" {
			return nil, term.WithHint(fmt.Errorf("%s: unknown key %q", term.Visible(f.path), key), "handoff config lists the keys")
		}
	}
	return v, nil
}

func values(v any) []string {
	list, ok := v.([]any)
	if !ok {
		return []string{fmt.Sprint(v)}
	}
	texts := make([]string, 0, len(list))
	for _, element := range list {
		texts = append(texts, fmt.Sprint(element))
	}
	return texts
}

// namedIn returns the makers of the commands that keys begin with: enough of the tree to
// know most keys.
func namedIn(keys []string) []maker {
	return slices.DeleteFunc(makers(), func(m maker) bool {
		return !slices.ContainsFunc(keys, func(key string) bool { return strings.HasPrefix(key, m.name+".") })
	})
}

// unknownKey returns the first key that no configuration file may have, as far as the
// tree goes; "" if there is none.
func unknownKey(root *cobra.Command, keys []string) string {
	known := make(map[string]bool)
	visitConfigurable(root, func(command string, f *pflag.Flag) {
		known[f.Name], known[settingKey(command, f)] = true, true
	})
	for _, key := range keys {
		if !known[key] {
			return key
		}
	}
	return ""
}
