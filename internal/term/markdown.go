package term

import (
	"regexp"
	"strings"
	"sync"
)

// link matches a link of Markdown.
var link = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`) })

// Markdown formats a document of this project as text for a terminal: paragraphs and lists broken at the
// columns (0 keeps their lines), headings bold, links without their addresses.
func Markdown(text string, columns int, colors Palette) string {
	var b strings.Builder
	var paragraph []string
	flush := func() {
		if paragraph == nil {
			return
		}
		if columns > 0 {
			b.WriteString(Reflow(strings.Join(paragraph, "\n"), columns) + "\n")
		} else {
			b.WriteString(strings.Join(paragraph, "\n") + "\n")
		}
		paragraph = nil
	}
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "```") {
			flush()
			fenced = !fenced
			continue
		}
		if fenced {
			b.WriteString("    " + line + "\n")
			continue
		}
		heading := strings.TrimLeft(line, "#")
		plain := link().ReplaceAllString(line, "$1")
		switch {
		case len(heading) < len(line):
			flush()
			b.WriteString(colors.Bold(strings.TrimSpace(heading)) + "\n")
		case strings.HasPrefix(line, "|"):
			flush()
			b.WriteString(tableRow(plain, columns) + "\n")
		case strings.TrimSpace(line) == "", strings.HasPrefix(line, "    "):
			flush()
			b.WriteString(plain + "\n")
		case strings.HasPrefix(line, "- "):
			flush()
			paragraph = []string{plain}
		default:
			paragraph = append(paragraph, plain)
		}
	}
	flush()
	return b.String()
}

// tableRow returns a row of a table, or its first cell above the others if it does not fit.
func tableRow(row string, columns int) string {
	if columns == 0 || Width(row) <= columns {
		return row
	}
	if strings.HasPrefix(row, "|---") {
		return strings.Repeat("-", columns)
	}
	first, others, _ := strings.Cut(strings.Trim(row, "| "), " | ")
	return Fold(first, 0, columns) + "\n" + Fold(others, 4, columns)
}

// Reflow breaks lines of paragraphs that are longer than the columns; 0 means no limit. Indented paragraphs,
// such as examples, are not broken.
func Reflow(text string, columns int) string {
	if columns == 0 {
		return text
	}
	paragraphs := strings.Split(text, "\n\n")
	for i, p := range paragraphs {
		lines := strings.Split(p, "\n")
		fits := true
		for _, line := range lines {
			fits = fits && Width(line) <= columns
		}
		if fits || strings.HasPrefix(p, " ") {
			continue
		}
		for j, line := range lines {
			lines[j] = strings.TrimSpace(line)
		}
		folded := Fold(strings.Join(lines, " "), 0, columns)
		if !strings.HasPrefix(p, "- ") {
			folded = strings.ReplaceAll(folded, "\n  ", "\n")
		}
		paragraphs[i] = folded
	}
	return strings.Join(paragraphs, "\n\n")
}
