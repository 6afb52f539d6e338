package settings

import "slices"

type Harm = harm

const (
	Harmless = harmless
	OnlyTrue = onlyTrue
	OnlyLess = onlyLess
)

var (
	Harms             = harms
	Set               = set
	Text              = settingText
	VisitConfigurable = visitConfigurable
)

// ReadFile reads a configuration file.
func (t Tree) ReadFile(path string) error {
	file, err := readConfig(path)
	if err == nil {
		_, err = t.layer(file)
	}
	return err
}

// Knows reports whether the commands named by a key are enough to recognize it.
func (t Tree) Knows(key string) bool {
	return slices.Contains(settingNames(t.Some(commandsOf([]string{key}))), key)
}
