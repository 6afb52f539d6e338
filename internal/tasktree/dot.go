package tasktree

import (
	"fmt"
	"strings"
)

// Dot is the DOT language of Graphviz (graphviz.org).
type Dot struct{}

func (Dot) Begin() string {
	return "digraph handoffs {\n    node [shape=box, style=filled, fillcolor=white, fontname=\"sans-serif\"]\n    edge [fontname=\"sans-serif\"]\n"
}

func (Dot) End() string { return "}\n" }

func (Dot) BeginTask(task int, title string) string {
	return fmt.Sprintf("    subgraph cluster_%d {\n    label=%s\n", task, dotText(title))
}

func (Dot) EndTask() string { return "    }\n" }

func (Dot) Message(n int, lines []string, class string) string {
	return fmt.Sprintf("    h%d [label=%s%s]\n", n, dotText(lines...), dotColors(class))
}

func (Dot) Notes(n int, lines []string, class string) string {
	return fmt.Sprintf("    f%d [shape=note, label=%s%s]\n    h%d -> f%d [style=dashed, arrowhead=none]\n", n, dotText(lines...), dotColors(class), n, n)
}

func (Dot) Edge(from, to int, label string) string {
	return fmt.Sprintf("    h%d -> h%d [label=%s]\n", from, to, dotText(label))
}

func dotColors(class string) string {
	for _, c := range classColors {
		if c.class == class {
			return fmt.Sprintf(", fillcolor=\"%s\", color=\"%s\"", c.fill, c.border)
		}
	}
	return ""
}

// dotEscapes are for quoted strings, in which Graphviz also resolves entities.
var dotEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", "&amp;")

// dotText quotes lines of text as one label.
func dotText(lines ...string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = dotEscapes.Replace(line)
	}
	return `"` + strings.Join(escaped, `\n`) + `"`
}
