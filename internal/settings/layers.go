package settings

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/claim"
	"github.com/eaapl/handoff/internal/cli"
)

// A layer is a source of values for flags.
type layer struct {
	origin string // for display: "environment", or the file's path
	lookup func(command, flag string) (values []string, key string, ok bool)
	isFile bool // relative file names are relative to its directory
	// unapproved explains why the layer may set only harmless values; "" if it may set any.
	unapproved string
}

// layers returns the sources of values in descending precedence: environment, project files, user file. Flags
// on the command line take precedence over them. The warnings are about ignored files.
func (t Tree) layers(g *cli.Globals) (list []layer, warnings []string, err error) {
	if slices.ContainsFunc(os.Environ(), ofHandoff) {
		list = append(list, layer{origin: "environment", lookup: lookupEnvironment})
	}
	files, err := configFiles()
	if err != nil {
		return nil, nil, err
	}
	for _, file := range files {
		if file.unsafe != "" {
			warnings = append(warnings, fmt.Sprintf("%s: ignored, because it is %s", file.path, file.unsafe))
			continue
		}
		if err := g.Reader.Claims.File(file.path, file.path, claim.AsInput); err != nil {
			return nil, nil, err
		}
		l, err := t.layer(file)
		if err != nil {
			return nil, nil, err
		}
		list = append(list, l)
	}
	return list, warnings, nil
}

const variablePrefix = "HANDOFF_"

// ofHandoff reports whether a variable may set a flag. On some systems, the case of its name is ignored.
func ofHandoff(variable string) bool {
	n := len(variablePrefix)
	return len(variable) >= n && strings.EqualFold(variable[:n], variablePrefix)
}

// variableNames returns the variables that may set a flag of a command, in descending precedence.
func variableNames(command, flag string) [2]string {
	plain := strings.NewReplacer("-", "_", ".", "_")
	name := func(words string) string { return variablePrefix + strings.ToUpper(plain.Replace(words)) }
	return [...]string{name(command + "_" + flag), name(flag)}
}

func lookupEnvironment(command, flag string) ([]string, string, bool) {
	for _, variable := range variableNames(command, flag) {
		if value, ok := os.LookupEnv(variable); ok {
			return []string{value}, variable, true
		}
	}
	return nil, "", false
}
