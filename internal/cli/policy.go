package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/yamldoc"
	"github.com/eaapl/handoff/pkg/privacy"
)

// PolicyFlag is the flag that enables the search for personal data.
type PolicyFlag struct{ File string }

// DefaultPolicy is the value of the flag for the default policy instead of a file.
const DefaultPolicy = "default"

func (f *PolicyFlag) Register(c *cobra.Command) {
	c.Flags().StringVar(&f.File, "privacy", "", "also find personal data, by a policy `FILE`, YAML or JSON, or default (docs/privacy.md)")
}

// Load returns a scanner for personal data, nil if the flag is not given.
func (f *PolicyFlag) Load(g *Globals, c *cobra.Command) (*privacy.Scanner, error) {
	switch f.File {
	case "":
		return nil, nil
	case DefaultPolicy:
		return LoadPolicy(g, c, "")
	}
	return LoadPolicy(g, c, f.File)
}

// LoadPolicy returns a scanner for personal data with the policy in a YAML or JSON file, or with the default
// policy if file is "".
func LoadPolicy(g *Globals, c *cobra.Command, file string) (*privacy.Scanner, error) {
	policy := privacy.Policy{}
	if file != "" {
		text, err := g.ReadSettings(file, c.InOrStdin())
		if err != nil {
			return nil, err
		}
		doc, err := yamldoc.Parse(text)
		if err != nil {
			return nil, input.InFile(file, err)
		}
		if policy, err = privacy.ParsePolicy(doc.Raw().Bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return privacy.New(policy)
}
