package viewer

import (
	"bufio"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode"
	"unicode/utf16"
)

// Write writes a self-contained page: the index, and the details of each of its handoffs. It calls
// details in order, one call at a time, while writing, and keeps at most a few blocks in memory. Its
// output is deterministic.
func Write(w io.Writer, index *Index, details func(i int) (*Details, error)) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := begin(out, index, Served{}); err != nil {
		return err
	}
	if err := writeBlocks(out, len(index.Handoffs), details); err != nil {
		return err
	}
	return end(out)
}

// Served configures the requests of a served page.
type Served struct {
	// DetailsURL is the prefix of a URL, such as "details/" or "/task/t1?details=": the page appends
	// the index of the handoff in [Index.Handoffs], decimal, and receives a JSON array of one
	// [Details], as written by [WriteDetails]. It is on the page's own server.
	DetailsURL string
	// Links are shown at the top, with this page last.
	Links []Link
}

// A Link leads to another page.
type Link struct {
	Text string
	URL  string // of the page's own server
}

// WriteServed writes a page that requests the details of a handoff from its server when it is
// opened.
func WriteServed(w io.Writer, index *Index, s Served) error {
	out := bufio.NewWriterSize(w, 64<<10)
	if err := begin(out, index, s); err != nil {
		return err
	}
	return end(out)
}

// WriteDetails writes the response to a request of a page of [WriteServed].
func WriteDetails(w io.Writer, d *Details) error {
	text, err := json.Marshal([]*Details{d})
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

//go:embed assets
var assets embed.FS

// scripts are the parts of the script, in their order.
var scripts = [...]string{
	"dom", "text", "words", "glyphs", "copy", "json", "forest", "model", "store", "hash", "filter",
	"list", "growing", "tabs", "toolbar", "overview", "tree", "timescale", "timeline", "agents", "boundaries",
	"marked", "value", "opened", "received", "changes", "findings", "jsontree", "evidence", "panel", "trouble", "keys", "print", "page",
}

// styles are the parts of the style sheet, in their order.
var styles = [...]string{"base", "lists", "panel", "adapt"}

// Style returns the style sheet of the page, for pages of the same look.
func Style() string { return style() }

var style = sync.OnceValue(func() string { return concatenated(styles[:], "css") })

// script is the script of the page: one function, so that its parts share names and nothing leaks.
var script = sync.OnceValue(func() string {
	return "(() => {\n'use strict';\n" + concatenated(scripts[:], "js") + "})();\n"
})

func concatenated(names []string, suffix string) string {
	var all strings.Builder
	for _, name := range names {
		text, err := assets.ReadFile("assets/" + name + "." + suffix)
		if err != nil {
			panic("reading what is embedded: " + err.Error())
		}
		all.Write(text)
	}
	return all.String()
}

// A Policy lists the permissions of a page. The zero value is for a page that only shows text.
type Policy struct {
	Style, Script string // the only ones allowed, without their tags; "" for none
	Connects      bool   // the script may send requests to the page's server
	Forms         bool   // forms may be sent to that server
}

// String returns the Content-Security-Policy, for a header or a meta element.
func (p Policy) String() string {
	self := map[bool]string{false: "'none'", true: "'self'"}
	directives := []string{
		"default-src 'none'", "script-src " + hash(p.Script), "style-src " + hash(p.Style), "connect-src " + self[p.Connects],
		"base-uri 'none'", "form-action " + self[p.Forms], "require-trusted-types-for 'script'", "trusted-types 'none'",
	}
	return strings.Join(directives, "; ")
}

func hash(text string) string {
	if text == "" {
		return "'none'"
	}
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// A head is the part of the page before the index.
type head struct {
	Served
	title, version  string
	tasks, handoffs int
	command         string // shows the same in a terminal; "" if no single line does
}

// begin writes the part of the page before the blocks, including the script, so that the page can be
// used while the blocks load.
func begin(out *bufio.Writer, index *Index, s Served) error {
	h := head{Served: s, title: index.Title, version: index.Version, tasks: len(index.Tasks), handoffs: len(index.Handoffs)}
	if h.tasks == 1 && !strings.ContainsFunc(index.Tasks[0].Command, isUnprintable) {
		h.command = index.Tasks[0].Command
	}
	h.write(out)
	out.WriteString(`<script type="application/json" id="index">`)
	text, err := json.Marshal(index) // escapes text that could end the element
	if err != nil {
		return err
	}
	writePrintable(out, text)
	_, err = out.WriteString("</script>\n<script>" + script() + "</script>\n")
	return err
}

// writePrintable writes JSON with nonprintable characters as \u escapes: a page may be printed to a
// terminal or a log, and agents' names are untrusted.
func writePrintable(out *bufio.Writer, text []byte) {
	for _, c := range string(text) {
		switch {
		case !isUnprintable(c):
			out.WriteRune(c)
		case c > 0xffff:
			high, low := utf16.EncodeRune(c)
			fmt.Fprintf(out, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(out, `\u%04x`, c)
		}
	}
}

func isUnprintable(c rune) bool { return !unicode.IsPrint(c) }

func end(out *bufio.Writer) error {
	out.WriteString("</body>\n</html>\n")
	return out.Flush()
}
