package about

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/schemas"
)

// A member is a place of the canonical message.
type member struct {
	Pointer     string   `json:"pointer"`
	Title       string   `json:"title,omitzero"`
	Description string   `json:"description,omitzero"`
	Type        string   `json:"type,omitzero"`
	Required    bool     `json:"required"`
	Members     []string `json:"members,omitzero"` // of an object
	Rules       []string `json:"rules,omitzero"`   // the rules that name it
}

// explainAt writes the description of a member of the canonical message, and the rules that name it.
func explainAt(w io.Writer, columns int, colors term.Palette, format, pointer string) error {
	m, err := memberAt(pointer)
	if err != nil {
		return err
	}
	if format == "json" {
		return report.WriteJSON(w, m)
	}
	need := "optional"
	if m.Required {
		need = "required"
	}
	if m.Type != "" {
		need = m.Type + ", " + need
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s)\n\n%s\n\n", colors.Bold(m.Pointer), need, term.Reflow(strings.TrimPrefix(m.Title+". "+m.Description, ". "), columns))
	if m.Members != nil {
		b.WriteString(term.Fold("Members: "+strings.Join(m.Members, ", "), 0, columns) + "\n\n")
	}
	if _, err := io.WriteString(w, b.String()); err != nil || m.Rules == nil {
		return err
	}
	rules := slices.DeleteFunc(report.Rules(), func(r finding.Rule) bool { return !slices.Contains(m.Rules, r.ID) })
	return cli.WriteRules(w, columns, colors, "text", rules, true)
}

// memberAt returns the member at a JSON Pointer.
func memberAt(pointer string) (member, error) {
	tokens, ok := jsonstream.SplitPointer(pointer)
	if !ok || len(tokens) == 0 {
		return member{}, fmt.Errorf("--at %q is not a JSON Pointer to a member: write it like /costTracking/costSpentSoFarUSD", pointer)
	}
	text, err := schemas.Read(schemas.Message)
	if err != nil {
		return member{}, err
	}
	doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Unlimited())
	if err != nil {
		return member{}, err
	}
	m := member{Pointer: pointer}
	at := []jsonstream.Value{doc.Root()} // the schema of a value, then those that it refers to
	for i, token := range tokens {
		next := follow(doc, at, "properties", token)
		required := slices.ContainsFunc(at, func(s jsonstream.Value) bool { return contains(s.Get("required"), token) })
		if next == nil {
			next, required = follow(doc, at, "items", ""), false
		}
		if next == nil {
			above := "/" + strings.Join(tokens[:i], "/")
			return member{}, fmt.Errorf("--at %s: the canonical message defines no %q at %s; it has %s", term.Visible(pointer), token, term.Visible(above), strings.Join(membersOf(at), ", "))
		}
		at, m.Required = next, required
	}
	for _, s := range slices.Backward(at) { // the first one has the precise texts
		for name, text := range map[string]*string{"title": &m.Title, "description": &m.Description, "type": &m.Type} {
			if found := s.Get(name).Text(); found != "" {
				*text = found
			}
		}
	}
	m.Members = membersOf(at)
	name := tokens[len(tokens)-1]
	for _, r := range report.Rules() {
		if r.Group() == string(r.Layer) && r.Layer != finding.Safety && strings.Contains(r.Summary+" "+r.Why, name) {
			m.Rules = append(m.Rules, r.ID)
		}
	}
	return m, nil
}

// follow returns the schemas of a part of a value: its member with a name below a keyword, or, without a name,
// the keyword's schema, and the schemas that it refers to; nil if there is none.
func follow(doc *jsonstream.Document, at []jsonstream.Value, keyword, name string) []jsonstream.Value {
	for _, s := range at {
		next := s.Get(keyword)
		if name != "" {
			next = next.Get(name)
		}
		if !next.Exists() {
			continue
		}
		list := []jsonstream.Value{next}
		for ref := next.Get("$ref").Text(); strings.HasPrefix(ref, "#"); {
			next = doc.Root().At(ref[1:])
			list = append(list, next)
			ref = next.Get("$ref").Text()
		}
		return list
	}
	return nil
}

func contains(list jsonstream.Value, text string) bool {
	for _, v := range list.Elements() {
		if v.Text() == text {
			return true
		}
	}
	return false
}

// membersOf returns the names of the members that schemas define.
func membersOf(at []jsonstream.Value) []string {
	var names []string
	for _, s := range at {
		for name := range s.Get("properties").Members() {
			names = append(names, name)
		}
		for name := range s.Get("items").Get("properties").Members() {
			names = append(names, "*/"+name)
		}
	}
	return names
}
