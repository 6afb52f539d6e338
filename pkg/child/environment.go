package child

import (
	"slices"
	"strings"
)

// Environment returns the variables of environ, given as NAME=VALUE, that any program
// needs to run, such as PATH, HOME and LANG, and those named by also. Everything else may
// be a secret. A name that environ does not have is passed over.
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
