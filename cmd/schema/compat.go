package schema

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compat"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/registry"
)

// compatFlags are the flags of schema compat.
type compatFlags struct {
	*cli.Globals
	cli.FactsFlags
	at, bump           string
	allowsUndeprecated bool
}

func newCompat(g *cli.Globals) *cobra.Command {
	f := &compatFlags{Globals: g}
	c := &cobra.Command{
		Use:   "compat [OLD NEW]",
		Short: "Check the version number of a schema change",
		Long: `Compat compares two versions of a JSON Schema by the rules of section 14.3: a new
optional member requires a minor version; a new required member, a removal, another
type, or any other narrowing requires a major version. A member must be deprecated in
the old version before it is removed or changes its type.

Every change is listed with its place. For each change that makes documents of one
version invalid under the other, an example document is printed. Versions are reported
as compatible only if this is proved; a change that is neither proved compatible nor
refuted is unknown, and counts as incompatible.

OLD and NEW are files or, with --schema-registry, names in a registry; without names,
each version in the registry is compared with the previous one. The version numbers are
taken from the file names (2.1.json, message-2.1.json) or $id, or else --bump sets the
permitted change.

Exit code 0: the version number matches the change; 1: the version promises too much, or
a deprecation is missing; 2: an input could not be read.`,
		Example: `  handoff schema compat message-2.0.json message-2.1.json
  handoff schema compat --bump major state.schema.json any.schema.json
  handoff schema compat --schema-registry registry/`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 && f.at != "" {
				return nil
			}
			return cobra.ExactArgs(2)(c, args)
		},
		RunE: func(c *cobra.Command, args []string) error { return f.run(c, args) },
	}
	registerAt(c, &f.at)
	flags := c.Flags()
	flags.StringVar(&f.bump, "bump", "", "largest `KIND` of change that the new version may have: none, minor, major")
	flags.BoolVar(&f.allowsUndeprecated, "allow-undeprecated", false, "allow removals without a prior deprecation")
	f.FactsFlags.Register(c, "output format: text, json", "write the output to `FILE`")
	cli.Complete(c, "bump", string(compat.None), string(compat.Minor), string(compat.Major))
	return c
}

// A version is one side of a comparison.
type version struct {
	Name     string               `json:"name"`
	Version  string               `json:"version,omitzero"`
	document *jsonstream.Document // with all references resolved
}

// A comparison is the output of compat for two versions.
type comparison struct {
	Old     version     `json:"old"`
	New     version     `json:"new"`
	Allowed compat.Bump `json:"allowed,omitzero"` // by the version numbers, or by --bump
	*compat.Report
}

func (f *compatFlags) run(c *cobra.Command, args []string) error {
	switch compat.Bump(f.bump) {
	case "", compat.None, compat.Minor, compat.Major:
	default:
		return fmt.Errorf("--bump %s: write none, minor or major", term.Visible(f.bump))
	}
	pairs, err := f.pairs(c, args)
	if err != nil {
		return err
	}
	out, err := f.Open(f.Globals, c)
	if err != nil {
		return err
	}
	isEnough := true
	progress := f.StartDoing(c.ErrOrStderr(), "comparing schemas", int64(len(pairs)))
	defer progress.Stop()
	for i, pair := range pairs {
		progress.Reached(int64(i))
		p := comparison{Old: pair[0], New: pair[1], Allowed: compat.Bump(f.bump)}
		if p.Allowed == "" {
			p.Allowed = compat.Announced(p.Old.Version, p.New.Version)
		}
		if p.Report, err = compat.Compare(p.Old.document, p.New.document); err != nil {
			return out.Close(fmt.Errorf("%s, %s: %w", term.Visible(p.Old.Name), term.Visible(p.New.Name), err))
		}
		isEnough = isEnough && f.isEnough(p)
		if out.JSON {
			err = report.WriteJSON(out, p)
		} else {
			err = f.write(out, p)
		}
		if err != nil {
			return out.Close(err)
		}
	}
	return cli.Answer(out.Close(nil), 0, !isEnough)
}

func (f *compatFlags) isEnough(p comparison) bool {
	return (p.Allowed == "" || p.Allowed.Covers(p.Bump)) && (f.allowsUndeprecated || !slices.ContainsFunc(p.Changes, func(c compat.Change) bool { return c.Undeprecated }))
}

// pairs returns the versions to compare.
func (f *compatFlags) pairs(c *cobra.Command, args []string) ([][2]version, error) {
	if f.at == "" {
		if args[0] == "-" && args[1] == "-" {
			return nil, errors.New("only one of the two schemas can be read from stdin: name a file for the other")
		}
		older, err := f.file(args[0], c.InOrStdin())
		if err != nil {
			return nil, err
		}
		newer, err := f.file(args[1], c.InOrStdin())
		return [][2]version{{older, newer}}, err
	}
	r, err := open(f.at, f.Limits)
	if err != nil {
		return nil, err
	}
	var list [][2]*registry.Schema
	all := r.All()
	if len(args) == 0 {
		for i := 1; i < len(all); i++ {
			if all[i].Name == all[i-1].Name {
				list = append(list, [2]*registry.Schema{all[i-1], all[i]})
			}
		}
	} else {
		var named [2]*registry.Schema
		for i, name := range args {
			if named[i], err = find(r, name); err != nil {
				return nil, err
			}
		}
		list = append(list, named)
	}
	var pairs [][2]version
	for _, pair := range list {
		var p [2]version
		for i, s := range pair {
			doc, err := registry.Bundle(s.Document(), s.URL(), r.Load, f.Limits)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", term.Visible(s.File), err)
			}
			p[i] = version{s.Name + "-" + s.Version, s.Version, doc}
		}
		pairs = append(pairs, p)
	}
	return pairs, nil
}

// file reads a schema from a file, with the files that it refers to.
func (f *compatFlags) file(path string, stdin io.Reader) (version, error) {
	doc, name, err := f.LoadDocument(path, stdin, f.Limits)
	if err != nil {
		return version{}, err
	}
	builtIn, err := registry.Embedded()
	if err != nil {
		return version{}, err
	}
	base, err := cli.FileURL(path)
	if err != nil {
		return version{}, fmt.Errorf("%s: %w", name, err)
	}
	bundle, err := registry.Bundle(doc, base, func(ref string) (*jsonstream.Document, error) {
		if doc, err := builtIn.Load(ref); err == nil {
			return doc, nil
		}
		return f.ReferredSchema(ref, f.Limits)
	}, f.Limits)
	if err != nil {
		return version{}, fmt.Errorf("%s: %w", name, err)
	}
	return version{name, registry.VersionOf(path, doc.Root().Get("$id").Text()), bundle}, nil
}

func (f *compatFlags) write(w io.Writer, p comparison) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s to %s: %s", term.Visible(p.Old.Name), term.Visible(p.New.Name), headline(p))
	b.WriteByte('\n')
	for _, c := range p.Changes {
		writeChange(&b, c, f.allowsUndeprecated)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// headline describes the change, and whether the version numbers allow it.
func headline(p comparison) string {
	text := "no change"
	if p.Bump != compat.None {
		text = "a " + string(p.Bump) + " change"
	} else if len(p.Changes) > 0 {
		text = "no change to the valid documents"
	}
	switch {
	case p.Bump == compat.None:
		return text
	case p.Allowed == "":
		return text + "; the version numbers are unknown"
	case p.Allowed.Covers(p.Bump):
		return text
	case p.Allowed == compat.None:
		return text + ", but the version number allows none"
	default:
		return text + ", but the version number allows only a " + string(p.Allowed) + " change"
	}
}

var kinds = map[compat.Kind]string{
	compat.MemberAdded:    "optional member added",
	compat.MemberRequired: "member became required",
	compat.MemberOptional: "member became optional",
	compat.MemberRemoved:  "member removed",
	compat.TypeChanged:    "type changed",
	compat.Narrowed:       "fewer values are valid",
	compat.Widened:        "more values are valid",
	compat.Reworded:       "the same values are valid",
	compat.Changed:        "other values are valid",
}

func writeChange(b *strings.Builder, c compat.Change, allowsUndeprecated bool) {
	place := orRoot(c.Pointer)
	if c.InOld {
		place += " (in the old version)"
	}
	fmt.Fprintf(b, "  %-5s  %s: %s", c.Bump, term.Visible(place), kinds[c.Kind])
	switch {
	case c.Kind == compat.MemberAdded || c.Kind == compat.MemberRemoved:
	case c.Old != nil && c.New != nil:
		fmt.Fprintf(b, ": %s became %s", short(c.Old), short(c.New))
	case c.New != nil:
		fmt.Fprintf(b, ": added %s", short(c.New))
	case c.Old != nil:
		fmt.Fprintf(b, ": removed %s", short(c.Old))
	}
	b.WriteByte('\n')
	if c.Undeprecated && !allowsUndeprecated {
		b.WriteString("         it was not deprecated: mark it with \"deprecated\": true in an earlier version\n")
	}
	shows := func(v compat.Verdict, w *compat.Witness, what string) {
		switch v {
		case compat.No:
			fmt.Fprintf(b, "         %s: %s\n", what, term.Visible(string(w.Document)))
			fmt.Fprintf(b, "           %s: %s\n", term.Visible(orRoot(w.Pointer)), term.Visible(w.Problem))
		case compat.Unknown:
			fmt.Fprintf(b, "         %s: unknown, neither proved nor refuted\n", what)
		}
	}
	shows(c.Backward, c.Refused, "valid before, not now")
	shows(c.Forward, c.Unread, "valid now, not before")
}

// orRoot returns a JSON Pointer, or a word for the root.
func orRoot(pointer string) string {
	if pointer == "" {
		return "the document"
	}
	return pointer
}

// maxShown is the maximum number of characters to show of a part of a schema.
const maxShown = 60

func short(text []byte) string {
	compact := []rune(string(jsonstream.AppendCompact(nil, text)))
	if len(compact) > maxShown {
		compact = append(compact[:maxShown-1], '…')
	}
	return term.Visible(string(compact))
}
