package finding_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
)

var catalogue = []finding.Rule{
	{ID: "schema/required", Layer: finding.Schema},
	{ID: "macp/2", Layer: finding.Protocol, Aliases: []string{"rule 2"}},
	{ID: "macp/shape", Layer: finding.Protocol},
	{ID: "openai/shape", Layer: finding.Protocol},
	{ID: "safety/override", Layer: finding.Safety, Aliases: []string{"instruction-override/override"}},
}

func TestFind(t *testing.T) {
	for name, want := range map[string]string{
		"schema/required":               "schema/required",
		"required":                      "schema/required",
		"macp/2":                        "macp/2",
		"2":                             "macp/2",
		"rule 2":                        "macp/2",
		"protocol/macp/2":               "macp/2", // the form of an earlier version
		"openai/shape":                  "openai/shape",
		"instruction-override/override": "safety/override",
	} {
		if r, err := finding.Find(catalogue, name); err != nil || r.ID != want {
			t.Errorf("%q is %q, %v, want %s", name, r.ID, err, want)
		}
	}
}

func TestFindNamesCandidates(t *testing.T) {
	for name, want := range map[string][]string{
		"shape":          {"macp/shape", "openai/shape"},
		"nothing":        nil,
		"":               nil,
		"schema/":        nil,
		"lint/required":  nil,
		"schema":         nil,
		"protocol/shape": nil,
	} {
		var unknown *finding.NameError
		if _, err := finding.Find(catalogue, name); !errors.As(err, &unknown) || !slices.Equal(unknown.Candidates, want) {
			t.Errorf("%q: %v, want the candidates %q", name, err, want)
		}
	}
}

func TestGroup(t *testing.T) {
	for name, want := range map[string][]string{
		"schema":   {"schema/required"},
		"macp":     {"macp/2", "macp/shape"},
		"protocol": {"macp/2", "macp/shape", "openai/shape"},
		"required": nil,
		"":         nil,
	} {
		if got := finding.IDs(finding.Group(catalogue, name)); !slices.Equal(got, want) {
			t.Errorf("%q has %q, want %q", name, got, want)
		}
	}
}
