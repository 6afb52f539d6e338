package child

import (
	"slices"
	"strings"
)

// Environment returns the variables of environ, given as NAME=VALUE, that every program needs, such
// as PATH, HOME and LANG, and the variables named in also. All others may be secrets. Names that
// environ lacks are ignored.
func Environment(environ, also []string) []string {
	var env []string
	for _, variable := range environ {
		name, _, _ := strings.Cut(variable, "=")
		named := func(n string) bool { return n == name || foldNames && strings.EqualFold(n, name) }
		if strings.HasPrefix(name, "LC_") || slices.ContainsFunc(usual, named) || slices.ContainsFunc(also, named) {
			env = append(env, variable)
		}
	}
	return env
}
