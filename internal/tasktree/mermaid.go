package tasktree

import (
	"fmt"
	"strings"
	"unicode"
)

// Mermaid is the Mermaid language (mermaid.js.org).
type Mermaid struct{}

func (Mermaid) Begin() string { return "flowchart TD\n" }

func (Mermaid) End() string {
	var b strings.Builder
	for _, c := range classColors {
		fmt.Fprintf(&b, "    classDef %s fill:%s,stroke:%s,color:#000\n", c.class, c.fill, c.border)
	}
	return b.String()
}

func (Mermaid) BeginTask(task int, title string) string {
	return fmt.Sprintf("    subgraph t%d[\"%s\"]\n", task, mermaidText(title))
}

func (Mermaid) EndTask() string { return "    end\n" }

func (Mermaid) Message(n int, lines []string, class string) string {
	return fmt.Sprintf("    h%d[\"%s\"]%s\n", n, mermaidLines(lines), mermaidClass(class))
}

func (Mermaid) Notes(n int, lines []string, class string) string {
	return fmt.Sprintf("    f%d[\"%s\"]%s\n    h%d -.- f%d\n", n, mermaidLines(lines), mermaidClass(class), n, n)
}

func (Mermaid) Edge(from, to int, label string) string {
	return fmt.Sprintf("    h%d -->|\"%s\"| h%d\n", from, mermaidText(label), to)
}

func mermaidClass(class string) string {
	if class == "" {
		return ""
	}
	return ":::" + class
}

func mermaidLines(lines []string) string {
	escaped := make([]string, len(lines))
	for i, line := range lines {
		escaped[i] = mermaidText(line)
	}
	return strings.Join(escaped, "<br/>")
}

// mermaidText escapes a text for a quoted label. Inside quotes, Mermaid interprets markup, directives (%%{),
// formulas ($$) and more, so all but plain characters are escaped.
func mermaidText(text string) string {
	var b strings.Builder
	for _, r := range text {
		if strings.ContainsRune(" .,+-_/→…", r) || unicode.IsDigit(r) || unicode.IsLetter(r) && r != 'ﬂ' { // ﬂ begins Mermaid's own marks
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}
