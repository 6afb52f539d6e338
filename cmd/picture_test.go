package cmd

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
)

// shownCommands are the commands in the README's picture, which run in testdata/tour.
var shownCommands = []string{"validate broken.json", "chain lost.jsonl"}

// Measures of the picture, in pixels except for the columns.
const (
	pictureColumns = 92
	columnWidth    = 8
	lineHeight     = 18
	pictureMargin  = 16
)

// paints are the colours of the picture, by their terminal codes (ECMA-48).
var paints = map[string]string{
	"1": "font-weight:bold", "2": "fill:#8b949e", "31": "fill:#ff7b72", "32": "fill:#7ee787", "33": "fill:#e3b341", "36": "fill:#79c0ff",
}

// writePicture draws a terminal after the shown commands: docs/terminal.svg.
func writePicture(t *testing.T, out *bytes.Buffer) error {
	t.Setenv("COLUMNS", fmt.Sprint(pictureColumns))
	t.Chdir(filepath.Join("..", "testdata", "tour"))
	var shown bytes.Buffer
	for i, command := range shownCommands {
		if i > 0 {
			shown.WriteByte('\n')
		}
		fmt.Fprintf(&shown, "\x1b[2m$\x1b[0m \x1b[1mhandoff %s\x1b[0m\n", command)
		root := newRoot()
		root.SetArgs(append(strings.Fields(command), "--color=always"))
		root.SetOut(&shown)
		root.SetErr(&shown)
		if err := root.Execute(); err != nil && !errors.Is(err, cli.ErrNo) {
			return err
		}
	}
	lines := strings.Split(strings.TrimRight(shown.String(), "\n"), "\n")
	width, height := pictureColumns*columnWidth+2*pictureMargin, len(lines)*lineHeight+2*pictureMargin
	fmt.Fprintf(out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="%s">
<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#e6edf3}</style>
<rect width="100%%" height="100%%" rx="8" fill="#0d1117"/>
`, width, height, "A terminal: handoff "+strings.Join(shownCommands, ", and handoff "))
	for i, line := range lines {
		drawLine(out, line, pictureMargin+(i+1)*lineHeight-lineHeight/4)
	}
	out.WriteString("</svg>\n")
	return nil
}

// drawLine draws a line of a terminal. The width of each span is that of its columns, in any font.
func drawLine(out *bytes.Buffer, line string, y int) {
	column, style := 0, ""
	for i, span := range strings.Split(line, "\x1b[") {
		if i > 0 {
			codes, text, _ := strings.Cut(span, "m")
			style, span = "", text
			for code := range strings.SplitSeq(codes, ";") {
				style += paints[code]
			}
		}
		next := column + term.Width(span)
		text := strings.TrimLeft(span, " ")
		column += len(span) - len(text)
		if text = strings.TrimRight(text, " "); text != "" {
			fmt.Fprintf(out, `<text x="%d" y="%d" textLength="%d" style="%s">`, pictureMargin+column*columnWidth, y, term.Width(text)*columnWidth, style)
			_ = xml.EscapeText(out, []byte(strings.ReplaceAll(text, " ", "\u00a0"))) // a write to memory; with no-break spaces
			out.WriteString("</text>\n")
		}
		column = next
	}
}
