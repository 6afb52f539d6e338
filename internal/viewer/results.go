package viewer

import (
	"bufio"
	"cmp"
	"io"
	"net/url"
)

// Results are the outcomes of a conformance suite for some implementations.
type Results struct {
	Title, Version  string
	Implementations []string
	Groups          []ResultGroup
}

// A ResultGroup is a group of cases.
type ResultGroup struct {
	Name, Title string
	Counts      []ResultCount // of each implementation
	Cases       []ResultCase
}

// A ResultCount counts the outcomes of an implementation.
type ResultCount struct{ Passed, Failed, NotApplicable int }

// A ResultCase is a case with the outcome for each implementation.
type ResultCase struct {
	ID, Expected string
	Source       string
	URL          string // of the source, "" for none
	Comment      string
	Outcomes     []ResultOutcome
}

// A ResultOutcome is an outcome in words, with the problem of a failure.
type ResultOutcome struct {
	Outcome string
	Class   string // passed, failed or other
	Problem string
}

// WriteResults writes a self-contained page without a script. Texts must be printable.
func WriteResults(w io.Writer, r *Results) error {
	out := bufio.NewWriterSize(w, 64<<10)
	style := concatenated([]string{"base", "results"}, "css")
	writeHead(out, Policy{Style: style}.String(), r.Version, r.Title, style)
	writef(out, ` class="results">
<main>
<h1>%s</h1>
<div class="scroll" role="region" aria-label="Outcomes" tabindex="0">
<table>
<thead><tr><th scope="col">implementation</th><th scope="col">group</th><th scope="col">passed</th><th scope="col">failed</th><th scope="col">not applicable</th></tr></thead>
<tbody>
`, r.Title)
	for i, name := range r.Implementations {
		for _, g := range r.Groups {
			if i >= len(g.Counts) { // it was not asked
				continue
			}
			n := g.Counts[i]
			class := "passed"
			switch {
			case n.Failed > 0:
				class = "failed"
			case n.Passed == 0:
				class = "other"
			}
			writef(out, `<tr class="%s"><th scope="row">%s</th><td><a href="#group-%s">%s</a></td><td>%s</td><td>%s</td><td>%s</td></tr>
`, class, name, url.PathEscape(g.Name), g.Name, n.Passed, n.Failed, n.NotApplicable)
		}
	}
	writef(out, `</tbody>
</table>
</div>
`)
	for _, g := range r.Groups {
		writef(out, `<section id="group-%s">
<h2>%s</h2>
<p>%s</p>
`, url.PathEscape(g.Name), g.Name, g.Title)
		for _, c := range g.Cases {
			c.write(out, r.Implementations)
		}
		writef(out, "</section>\n")
	}
	writef(out, "</main>\n</body>\n</html>\n")
	return out.Flush()
}

// write writes a case, opened if it failed.
func (c *ResultCase) write(out *bufio.Writer, implementations []string) {
	class, open := "", markup("<details>")
	for _, o := range c.Outcomes {
		if o.Class == "failed" {
			class, open = o.Class, "<details open>"
		}
	}
	writef(out, open)
	writef(out, `<summary class="%s"><code>%s</code> <span>%s</span></summary>
<dl>
`, cmp.Or(class, c.Outcomes[0].Class), c.ID, c.Expected)
	if c.Comment != "" {
		writef(out, "<div><dt>comment</dt><dd>%s</dd></div>\n", c.Comment)
	}
	if u, err := url.Parse(c.URL); err == nil && u.Scheme == "https" {
		writef(out, `<div><dt>source</dt><dd><a href="%s" rel="noreferrer">%s</a></dd></div>
`, u, c.Source)
	} else {
		writef(out, "<div><dt>source</dt><dd>%s</dd></div>\n", c.Source)
	}
	for i, o := range c.Outcomes {
		writef(out, `<div class="%s"><dt>%s</dt><dd>%s`, o.Class, implementations[i], o.Outcome)
		if o.Problem != "" {
			writef(out, ": %s", o.Problem)
		}
		writef(out, "</dd></div>\n")
	}
	writef(out, "</dl>\n</details>\n")
}
