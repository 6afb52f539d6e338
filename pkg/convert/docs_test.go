package convert

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/internal/exchange"
)

var update = flag.Bool("update", false, "rewrite the table in docs/formats.md")

// mappingTable returns the rows as a table of the documentation.
func mappingTable() string {
	var b strings.Builder
	b.WriteString("| canonical | `sw4rm-context` | `sw4rm-request` | `macp` | `openai` |\n|---|---|---|---|---|\n")
	line := func(cells []string) { b.WriteString("| " + strings.Join(cells, " | ") + " |\n") }
	for i, r := range exchange.Rows {
		cells := []string{"`" + r.Member + "`"}
		for _, f := range []format.Format{format.SW4RMContext, format.SW4RMRequest, format.MACP, format.OpenAI} {
			cells = append(cells, documented(sideOf(f).Places[i]))
		}
		line(cells)
	}
	cells := []string{"`" + exchange.Turns + "`"}
	for _, f := range []format.Format{format.SW4RMContext, format.SW4RMRequest, format.MACP, format.OpenAI} {
		at := documented(sideOf(f).lists[0])
		if f == format.OpenAI {
			at = "`/input_history`, `/pre_handoff_items`, `/new_items`"
		}
		cells = append(cells, at)
	}
	line(cells)
	return b.String()
}

// documented returns a place as written in the documentation.
func documented(place string) string {
	if place == "" {
		return "brief"
	}
	place = strings.ReplaceAll(place, "/value", "")
	if message, ok := strings.CutPrefix(place, "/messages/"); ok {
		name, rest, _ := strings.Cut(message, "/")
		return name + " `/" + rest + "`"
	}
	return "`" + place + "`"
}

// TestMapping compares the table in the documentation with the code.
func TestMapping(t *testing.T) {
	const path, begin, end = "../../docs/formats.md", " writes this table -->\n", "<!-- end of the mapping -->"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), begin)
	got, after, ends := strings.Cut(rest, end)
	if !ok || !ends {
		t.Fatalf("%s has no place for the mapping", path)
	}
	if *update {
		if err := os.WriteFile(path, []byte(before+begin+mappingTable()+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if got != mappingTable() {
		t.Errorf("%s does not have the mapping: run go test ./pkg/convert -run Mapping -update", path)
	}
}
