package viewer

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/tier"
)

// payloads returns the texts of testdata/xss.txt.
func payloads(t testing.TB) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "testdata", "xss.txt"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "#{"), !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "="):
			all = append(all, line)
		case strings.HasPrefix(line, "="):
			literal, err := strconv.Unquote(line[1:])
			if err != nil {
				t.Fatalf("%s: %v", line, err)
			}
			all = append(all, literal)
		}
	}
	if len(all) < 100 {
		t.Fatalf("there are %d texts", len(all))
	}
	return all
}

// spread returns a page in which every string of the model is one of the texts, each text in many
// places. Only pointers, kinds of details and the ids of handoffs are kept, because the page needs
// them; ids keep their beginning, for links.
func spread(texts []string) *pages {
	p := sample()
	next := 0
	text := func() string { next++; return texts[next%len(texts)] }
	var fill func(v reflect.Value, path string)
	fill = func(v reflect.Value, path string) {
		switch v.Kind() {
		case reflect.Pointer:
			if !v.IsNil() {
				fill(v.Elem(), path)
			}
		case reflect.Struct:
			for i := range v.NumField() {
				fill(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		case reflect.Slice:
			for i := range v.Len() {
				fill(v.Index(i), path)
			}
		case reflect.String:
			if !leadsTheWay(path) {
				v.SetString(text())
			}
		}
	}
	fill(reflect.ValueOf(p.index), "Index")
	for i, d := range p.details {
		p.index.Handoffs[i].ID = fmt.Sprintf("%d %s", i, p.index.Handoffs[i].ID)
		d.Message, d.Missing, d.Malformed, d.Context = hostileMessage(text), "", "", ""
		d.Sections = append(d.Sections, Section{"All", ""})
		fill(reflect.ValueOf(d), "Details")
	}
	// The text in place of an unreadable message is hostile, too.
	p.details[17] = &Details{Missing: text(), Compared: -1}
	p.details[18] = &Details{Message: text(), Malformed: text(), Compared: -1}
	return p
}

func leadsTheWay(path string) bool {
	for _, kept := range []string{"Details.Message", "Details.Missing", "Details.Malformed", "Details.Context", "Turns.Pointer", "Parts.Pointer", "Parts.Text", "Parts.Kind", "Parts.ID", "Findings.Pointer", "Sections.Pointer"} {
		if strings.HasSuffix(path, kept) {
			return true
		}
	}
	return false
}

// hostileMessage is a message like that of [pages.message], with the texts as names and values.
func hostileMessage(text func() string) string {
	var members strings.Builder
	for range 8 {
		fmt.Fprintf(&members, "%s: [%s, {%s: %s}], ", quoted(text()), quoted(text()), quoted(text()), quoted(text()))
	}
	return fmt.Sprintf(`{%s "taskDescription": %s, "conversationHistoryVerbatim": [{"content": %s}, {"content": %s, "tool_calls": [{"function": {"name": %s, "arguments": %s}}]}, {"content": %s}, {"role": %s, "content": %s}, {"content": %s}]}`,
		members.String(), quoted(text()), quoted(text()), quoted(text()), quoted(text()), quoted(quoted(text())), quoted(text()), quoted(text()), quoted(text()), quoted(text()))
}

// TestHostileTextStaysText shows hostile texts in every place of the page, in every view: none of
// them runs, sends a request, or becomes an element or a link, and the policy had nothing to block.
func TestHostileTextStaysText(t *testing.T) {
	texts := payloads(t)
	// In the first tier, a sample of the pages shows a sample of the texts.
	step := tier.Count(2, 1)
	var some []string
	for i := 0; i < len(texts); i += step {
		some = append(some, texts[i])
	}
	texts = some
	p := spread(texts)
	url := written(t, p)
	b := open(t, wide, url)
	b.wait(`document.querySelector(".tasks .rows .row")`)
	seen := b.seen()
	for i := 0; i < len(p.index.Tasks); i += step {
		for _, view := range []string{"tree", "timeline", "agents", "boundaries"} {
			b.show(fmt.Sprintf("view=%s&task-at=%d", view, i), "h1")
			b.wait(`document.querySelector(".rows .row, .nothing:not([hidden])")`)
			seen += b.seen()
		}
	}
	for i := 0; i < len(p.details); i += step {
		for _, name := range []string{"received", "changes", "findings", "json", "evidence"} {
			b.show(fmt.Sprintf("handoff-at=%d&tab=%s", i, name), "#panel-title")
			b.wait(fmt.Sprintf(`document.querySelector(".panel-body.shows-%s")?.hasChildNodes() && !document.querySelector(".panel-body").hasAttribute("aria-busy")`, name))
			eval[bool](b, `document.querySelectorAll("details").forEach((d) => { d.open = true; }) === undefined`)
			seen += b.seen()
		}
	}
	for i, text := range texts {
		if want := strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n"); !strings.Contains(flat(seen), flat(want)) {
			t.Errorf("text %d is not shown as it is: %q", i, text)
		}
	}
	if got := eval[string](b, `String(window.__xss) + String({}.__xss) + Object.keys(Object.prototype) + document.title.length`); !strings.HasPrefix(got, "undefinedundefined") {
		t.Errorf("something ran: %s", got)
	}
	for _, request := range b.requests {
		if request != url && !strings.HasPrefix(request, url+"#") && request != "about:blank" {
			t.Errorf("there was a request for %s", request)
		}
	}
	b.quiet()
}

// flat removes differences in white space, of which a row shows one character.
func flat(s string) string { return strings.Join(strings.Fields(s), "") }

// seen returns the text of the page, and checks that it has no other elements than those of the
// page.
func (b *tab) seen() string {
	b.Helper()
	found := eval[string](b, `[...document.querySelectorAll("*")].filter((e) =>
		!"html head meta title style body a div header main script noscript svg path button h1 h2 h3 h4 p span dl dt dd label input select option section nav ol ul li code kbd dialog form details summary bdi mark ins del".split(" ").includes(e.localName) ||
		[...e.attributes].some((a) => a.name.startsWith("on") || ["src", "srcset", "srcdoc", "action", "formaction", "ping", "xlink:href"].includes(a.name) || (a.name === "href" && a.value !== "#main"))
	).map((e) => e.outerHTML.slice(0, 200)).join("\n")`)
	if found != "" {
		b.Errorf("elements or attributes that the page does not make:\n%s", found)
	}
	if scripts := eval[int](b, `[...document.scripts].filter((s) => s.type === "").length`); scripts != 1 {
		b.Errorf("there are %d scripts", scripts)
	}
	return eval[string](b, `document.title + [...document.body.children].filter((e) => e.localName !== "script" && e.localName !== "noscript").map((e) => e.textContent).join("\n")`)
}

// TestHostileServed checks, without a browser, that the head of a served page escapes links and
// titles.
func TestHostileServed(t *testing.T) {
	for _, text := range payloads(t) {
		var out strings.Builder
		index := &Index{Title: text, Version: text, Tasks: []Task{{Command: text, Count: 0}}}
		if err := WriteServed(&out, index, Served{DetailsURL: "details/", Links: []Link{{text, text}}}); err != nil {
			t.Fatal(err)
		}
		page := out.String()
		if n := strings.Count(page, "<script"); n != 2 {
			t.Errorf("%q: there are %d scripts", text, n)
		}
		for _, bad := range []string{`href="javascript:`, `href="data:`, "<img", "<iframe", "<svg", "<base", "onerror=window.__xss=1>"} {
			if strings.Contains(strings.ToLower(strings.ReplaceAll(page, script(), "")), bad) {
				t.Errorf("%q: %s is in the page", text, bad)
			}
		}
	}
}
