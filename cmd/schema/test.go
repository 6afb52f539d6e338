package schema

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/registry"
	"github.com/eaapl/handoff/pkg/validate"
)

// testFlags are the flags of schema test.
type testFlags struct {
	*cli.Globals
	versionsFlags
	facts cli.FactsFlags

	versions []*registry.Schema
	compiled []*validate.Schema // in the same order
}

func newTest(g *cli.Globals) *cobra.Command {
	f := &testFlags{Globals: g}
	c := &cobra.Command{
		Use:   "test --schema-registry DIR [FILE|DIR|-]...",
		Short: "Check fixtures against all versions of a schema",
		Long: `Test validates each fixture against every version of a schema in a registry. A fixture
must be valid under the version in its schemaVersion, and under later minor versions,
which are backward compatible (section 14.3). In a folder named invalid, it must be
invalid under its own version. The results of the other versions are shown, too.

Exit code 0: all results are as expected; 1: at least one is not; 2: an input could not
be read.`,
		Example: `  handoff schema test --schema-registry registry/ fixtures/
  handoff schema test --schema-registry registry/ -f json fixtures/ > compatibility.jsonl`,
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	f.register(c)
	f.facts.Register(c, "output format: text, json", "write the output to `FILE`")
	return c
}

func (f *testFlags) run(c *cobra.Command, args []string) error {
	r, versions, err := f.open(f.Limits)
	if err != nil {
		return err
	}
	f.versions = versions
	for _, s := range f.versions {
		schema, err := cli.CompileRegistered(r, s)
		if err != nil {
			return err
		}
		f.compiled = append(f.compiled, schema)
	}
	out, err := f.facts.Open(f.Globals, c)
	if err != nil {
		return err
	}
	fixtures, failed := 0, 0
	p := f.NewProgress(c.ErrOrStderr())
	unread, err := cli.Each(f.Globals, c, args, p, f.test, func(r fixture) error {
		fixtures++
		if !r.AsExpected {
			failed++
		}
		return out.Print(r)
	}, out.Unreadable, func() error { return nil })
	if err == nil && !out.JSON {
		_, err = fmt.Fprintf(out, "%s, %d not as expected\n", term.Counted(fixtures, "fixture"), failed)
	}
	return cli.Answer(out.Close(err), unread, failed > 0)
}

// A fixture is the result of the versions for one document.
type fixture struct {
	Source     string    `json:"source"`
	Index      int       `json:"index"`
	Version    string    `json:"version,omitzero"` // its own version
	AsExpected bool      `json:"asExpected"`
	Problem    string    `json:"problem,omitzero"` // why it failed, if no version is the cause
	Verdicts   []verdict `json:"verdicts"`
	place      input.Origin
}

// A verdict is the result of one version.
type verdict struct {
	Version  string            `json:"version"`
	Valid    bool              `json:"valid"`
	Expected *bool             `json:"expected,omitzero"` // nil if both are fine
	Findings []finding.Finding `json:"findings"`
}

func (v verdict) asExpected() bool { return v.Expected == nil || *v.Expected == v.Valid }

// test tests one fixture. It may run concurrently.
func (f *testFlags) test(d input.Document) (fixture, error) {
	doc, err := d.Parse(f.Limits)
	if err != nil {
		return fixture{}, err
	}
	own := doc.Root().Get("schemaVersion").Text()
	isInvalid := slices.Contains(strings.FieldsFunc(d.Source.Path, func(c rune) bool { return c == '/' || c == '\\' }), "invalid")
	r := fixture{Source: d.Source.Name, Index: d.Index, Version: own, AsExpected: true, place: d.Origin()}
	known := false
	for i, s := range f.versions {
		found := f.compiled[i].Check(doc.Root())
		v := verdict{Version: s.Version, Valid: len(found) == 0, Findings: append([]finding.Finding{}, found...)}
		isOwn := s.Version == own
		known = known || isOwn
		if isOwn || !isInvalid && isLaterMinor(own, s.Version) {
			expected := !isInvalid
			v.Expected = &expected
		}
		r.AsExpected = r.AsExpected && v.asExpected()
		r.Verdicts = append(r.Verdicts, v)
	}
	if !known && !isInvalid {
		r.AsExpected = false
		r.Problem = fmt.Sprintf("its schemaVersion is %s, and the registry has %s", finding.Quote(own), cli.ShownVersions(f.versions))
		if own == "" {
			r.Problem = "it has no schemaVersion, which selects the version for the check"
		}
	}
	return r, nil
}

// isLaterMinor reports whether a version is later than another of the same major version.
func isLaterMinor(than, version string) bool {
	a, err := semver.ParsePartial(than)
	if err != nil {
		return false
	}
	b, err := semver.ParsePartial(version)
	return err == nil && a.Major == b.Major && b.Compare(a) > 0
}

// WriteText writes a line for the fixture, and one for each version with an unexpected result.
func (r fixture) WriteText(w io.Writer, _ int, colors term.Palette) error {
	var b strings.Builder
	said := map[bool][]string{}
	for _, v := range r.Verdicts {
		said[v.Valid] = append(said[v.Valid], v.Version)
	}
	mark := colors.Green("ok  ")
	if !r.AsExpected {
		mark = colors.Red("FAIL")
	}
	fmt.Fprintf(&b, "%s  %s", mark, r.place)
	for _, valid := range []bool{true, false} {
		if list := said[valid]; list != nil {
			word := map[bool]string{true: "valid", false: "invalid"}[valid]
			fmt.Fprintf(&b, "  %s in %s", word, term.Visible(strings.Join(list, ", ")))
		}
	}
	b.WriteByte('\n')
	if r.Problem != "" {
		fmt.Fprintf(&b, "      %s\n", term.Visible(r.Problem))
	}
	for _, v := range r.Verdicts {
		switch {
		case v.asExpected():
		case v.Valid:
			fmt.Fprintf(&b, "      %s: valid, but expected invalid because of the folder\n", v.Version)
		default:
			fmt.Fprintf(&b, "      %s: %s\n", v.Version, term.Visible(finding.Details(v.Findings)))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
