package term

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// Limits on the parts of a message in a picture; "-f json" has everything.
const (
	MaxFindingLines = 6
	MaxRows         = 25
	MaxFindings     = 20
)

// MaxBar is the maximum width of a bar, also on a wide screen.
const MaxBar = 72

// labelWidth is the column of the values after labels.
const labelWidth = 12

// A Picture builds the text about one message.
type Picture struct {
	Palette
	Width int
	Text  bytes.Buffer
}

// NewPicture returns an empty picture with a width of at least [MinWidth].
func NewPicture(columns int, colors Palette) Picture {
	return Picture{Width: max(columns, MinWidth), Palette: colors}
}

func (p *Picture) Line(parts ...string) {
	p.Text.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	p.Text.WriteByte('\n')
}

// Heading writes the name of a message and, at the end of the line, its outcome.
func (p *Picture) Heading(source string, index int, summary string, paint func(...any) string) {
	if index > 0 {
		source = fmt.Sprintf("%s, message %d", source, index+1)
	}
	p.Line(p.Bold(Left(source, p.Width-Width(summary)-1)), " ", paint(summary))
}

// Section begins a section, with a summary after the title.
func (p *Picture) Section(title, summary string) {
	p.Line()
	if summary != "" {
		summary = "  " + p.Dim(Clip(summary, p.Width-len(title)-2))
	}
	p.Line(p.Bold(title), summary)
}

func (p *Picture) Label(name, value string) {
	if value == "" {
		p.Line(p.Dim(Left(name, labelWidth)), p.Dim("-"))
		return
	}
	p.Line(p.Dim(Left(name, labelWidth)), Clip(value, p.Width-labelWidth))
}

// More ends a list that is not shown in full.
func (p *Picture) More(n int) {
	if n > 0 {
		p.Line("  ", p.Dim("… and "+Grouped(int64(n))+" more"))
	}
}

// A Row is a line of a table: a name, figures, and a quantity for its bar.
type Row struct {
	Name     string
	Figures  []string
	Quantity float64
}

// Rows draws a table of the first [MaxRows] rows. The longest bar is that of their largest quantity.
func (p *Picture) Rows(all []Row) {
	rows := all[:min(len(all), MaxRows)]
	cells, largest := make([][]string, len(rows)), 1.0
	for i, r := range rows {
		cells[i] = append([]string{Clip(cmp.Or(r.Name, "(none)"), 30)}, r.Figures...)
		largest = max(largest, r.Quantity)
	}
	for i, line := range Columns(cells) {
		columns := min(p.Width-Width(line)-2, MaxBar)
		p.Line(line, "  ", p.Cyan(Bar(rows[i].Quantity/largest, columns)))
	}
	p.More(len(all) - len(rows))
}
