package look

import (
	"fmt"
	"io"

	"github.com/eaapl/handoff/internal/inspect"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/format"
)

// A countRecord is the report on one message. All sizes are in tokens.
type countRecord struct {
	Source    string        `json:"source"`
	Index     int           `json:"index"`
	Format    format.Format `json:"format"`
	Tokenizer string        `json:"tokenizer"`
	Estimate  bool          `json:"estimate"` // the model's own tokenizer is not public
	Total     int           `json:"total"`
	Window    int           `json:"contextWindow,omitzero"`
	Share     float64       `json:"share,omitzero"` // of the window
	inspect.Breakdown
	texts []string // the beginnings of the turns to show
}

// maxTurns is the maximum number of largest turns, and of duplicates, to show.
const maxTurns = 10

// WriteText draws the record within the columns, at least 80.
func (r countRecord) WriteText(w io.Writer, columns int, colors term.Palette) error {
	p := countPicture{term.NewPicture(columns, colors)}
	total := fmt.Sprintf("%s (%s)", term.Plural(r.Total, "token"), r.Tokenizer)
	if r.Estimate {
		total = "≈ " + total
	}
	if r.Window > 0 {
		total += fmt.Sprintf(", %.1f%% of %s", r.Share*100, term.Grouped(int64(r.Window)))
	}
	p.Heading(r.Source, r.Index, total, fmt.Sprint)
	p.countedParts("By member", r.Members, r.Total)
	p.countedParts("By role", r.Roles, r.Total)
	p.largestTurns(r.Turns, r.texts)
	p.duplicates(r.Duplicates)
	p.Line()
	_, err := w.Write(p.Text.Bytes())
	return err
}

type countPicture struct{ term.Picture }

func (p *countPicture) countedParts(title string, parts []inspect.Part, total int) {
	var rows []term.Row
	for _, part := range parts {
		figures := []string{term.Grouped(int64(part.Tokens)), fmt.Sprintf("%.1f%%", 100*float64(part.Tokens)/float64(max(total, 1)))}
		if part.Turns > 0 {
			figures = append([]string{term.Plural(part.Turns, "turn")}, figures...)
		}
		rows = append(rows, term.Row{Name: part.Name, Figures: figures, Quantity: float64(part.Tokens)})
	}
	if len(rows) > 0 {
		p.Section(title, "")
		p.Rows(rows)
	}
}

func (p *countPicture) largestTurns(turns []inspect.TurnSize, texts []string) {
	if len(turns) == 0 {
		return
	}
	p.Section("Largest turns", "")
	shown := turns[:min(len(turns), maxTurns)]
	places, roles := 0, 0
	for _, t := range shown {
		places, roles = max(places, term.Width(term.Clip(t.Pointer, 40))), max(roles, term.Width(term.Clip(t.Role, 20)))
	}
	for i, t := range shown {
		line := fmt.Sprintf("  %s  %s  %s  ", term.Right(term.Grouped(int64(t.Tokens)), 7), term.Left(t.Role, roles), term.Left(t.Pointer, places))
		p.Line(line, p.Dim(term.Clip(texts[i], p.Width-term.Width(line))))
	}
	p.More(len(turns) - len(shown))
}

func (p *countPicture) duplicates(list []inspect.Duplicate) {
	if len(list) == 0 {
		return
	}
	could := 0
	for _, d := range list {
		could += d.Tokens
	}
	p.Section("Repeated turns", term.Plural(could, "token"))
	for _, d := range list[:min(len(list), maxTurns)] {
		p.Line(fmt.Sprintf("  %s  ", term.Right(term.Grouped(int64(d.Tokens)), 7)), term.Clip(d.Pointer+" repeats "+d.Of, p.Width-11))
	}
	p.More(len(list) - maxTurns)
}
