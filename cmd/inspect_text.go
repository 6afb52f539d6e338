package cmd

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/inspect"
	"github.com/eaapl/handoff/pkg/validate"
)

// An inspectRecord is one inspected message: its facts, and what the
// receiver's layers say of it.
type inspectRecord struct {
	Source string `json:"source"`
	Index  int    `json:"index"`
	inspect.Facts
	Result validate.Result `json:"validation"`
}

// How much of a message its picture shows; "-f json" has everything.
const (
	mostTaskLines    = 8
	mostSubtaskLines = 3
	mostFindingLines = 6
	mostRows         = 25
	mostFindings     = 20
)

// narrowest is the least width that text is laid out for.
const narrowest = 80

// longestBar keeps bars from filling a wide screen.
const longestBar = 72

// labelWidth is the column of the values in the block of labels.
const labelWidth = 12

// WriteText draws the record in so many columns, 80 at least.
func (r inspectRecord) WriteText(w io.Writer, columns int, colors palette) error {
	p := picture{width: max(columns, narrowest), palette: colors}
	p.verdict(r)
	if _, ok := systems[r.Format]; ok {
		p.foreign(r.Facts)
	} else {
		p.identity(r.Facts)
		p.task(r.Facts)
		p.budget(r.Facts)
	}
	p.bytes(r.Facts)
	p.carried(r.Context, r.SizeTokens > 0)
	p.conversation(r.Facts)
	p.tools(r.Facts)
	p.findings(r.Result)
	_, err := w.Write(p.text.Bytes())
	return err
}

// A picture is the text of one message while it is drawn.
type picture struct {
	palette
	width int
	text  bytes.Buffer
}

func (p *picture) line(parts ...string) {
	p.text.WriteString(strings.TrimRight(strings.Join(parts, ""), " "))
	p.text.WriteByte('\n')
}

// heading names a message, and says at the end of the line what it comes to.
func (p *picture) heading(source string, index int, summary string, paint func(...any) string) {
	if index > 0 {
		source = fmt.Sprintf("%s, message %d", source, index+1)
	}
	p.line(p.bold(left(source, p.width-width(summary)-1)), " ", paint(summary))
}

// section begins a block, with what sums it up behind its title.
func (p *picture) section(title, summary string) {
	p.line()
	if summary != "" {
		summary = "  " + p.dim(clip(summary, p.width-len(title)-2))
	}
	p.line(p.bold(title), summary)
}

func (p *picture) label(name, value string) {
	if value == "" {
		p.line(p.dim(left(name, labelWidth)), p.dim("-"))
		return
	}
	p.line(p.dim(left(name, labelWidth)), clip(value, p.width-labelWidth))
}

// more ends a list that is not shown whole.
func (p *picture) more(n int) {
	if n > 0 {
		p.line("  ", p.dim("… and "+grouped(int64(n))+" more"))
	}
}

func (p *picture) verdict(r inspectRecord) {
	verdict, paint := "valid", p.green
	if !r.Result.Valid {
		verdict, paint = string(r.Result.Reason), p.red
	}
	p.heading(r.Source, r.Index, verdict, paint)
}

func (p *picture) identity(f inspect.Facts) {
	p.line()
	p.label("from", at(f.From.ID, "@", f.From.Version))
	p.label("to", at(f.To.Type, " ", f.To.Version))
	name := "fan-out"
	for _, receiver := range f.Receivers[:min(len(f.Receivers), mostRows)] {
		p.label(name, at(receiver.Type, " ", receiver.Version))
		name = ""
	}
	p.more(len(f.Receivers) - mostRows)
	p.label("time", f.Timestamp)
	p.label("handoff", f.HandoffID)
	parent := f.ParentHandoffID
	if f.First {
		parent = "none: the first handoff of its task"
	}
	p.label("parent", parent)
	p.label("task", f.TaskID)
	p.label("execution", f.From.ExecutionID)
	p.label("trace", f.TraceID)
	p.label("schema", f.SchemaVersion)
	switch {
	case !f.Signed:
		p.label("signed", "no")
	case f.SignatureKeyID == "":
		p.label("signed", "yes")
	default:
		p.label("signed", "with key "+f.SignatureKeyID)
	}
	if len(f.Extensions) > 0 {
		p.label("extensions", strings.Join(f.Extensions, ", "))
	}
}

// at joins a name and its version, if there is one.
func at(name, sep, version string) string {
	if version == "" {
		return name
	}
	return name + sep + version
}

func (p *picture) task(f inspect.Facts) {
	p.section("Task", fmt.Sprintf("%d done, %d left", len(f.Completed), len(f.Remaining)))
	for _, line := range wrap(f.TaskDescription, p.width-2, mostTaskLines) {
		p.line("  ", line)
	}
	ids := 0
	for _, list := range [][]inspect.Subtask{f.Completed, f.Remaining} {
		for _, s := range list[:min(len(list), mostRows)] {
			ids = max(ids, width(clip(s.ID, 16)))
		}
	}
	p.subtasks(p.green("✓"), ids, f.Completed)
	p.subtasks(p.yellow("○"), ids, f.Remaining)
	if len(f.Constraints) > 0 {
		p.section("Constraints", "")
		for _, c := range f.Constraints[:min(len(f.Constraints), mostRows)] {
			p.line("  ", clip(c, p.width-2))
		}
		p.more(len(f.Constraints) - mostRows)
	}
}

func (p *picture) subtasks(mark string, ids int, list []inspect.Subtask) {
	indent := 2 + 2 + ids + 2
	for i, s := range list {
		if i == mostRows {
			p.more(len(list) - i)
			return
		}
		lines := wrap(s.Description, p.width-indent, mostSubtaskLines)
		if lines == nil {
			lines = []string{""}
		}
		last := len(lines) - 1
		done := clip(s.CompletedAt, 35)
		if gap := p.width - indent - width(lines[last]) - width(done); done != "" && gap >= 2 {
			lines[last] += spaces(gap) + p.dim(done)
		}
		p.line("  ", mark, " ", p.cyan(left(s.ID, ids)), "  ", lines[0])
		for _, line := range lines[1:] {
			p.line(spaces(indent), line)
		}
	}
}

func (p *picture) budget(f inspect.Facts) {
	p.section("Budget", "")
	if share := f.Budget.SpentShare; share != nil {
		columns := min(p.width-len("    100% spent"), longestBar)
		full := bar(*share, columns)
		paint := p.green
		switch {
		case *share >= 1:
			paint = p.red
		case *share >= 0.8:
			paint = p.yellow
		}
		p.line("  ", paint(full), p.dim(strings.Repeat("░", columns-width(full))), fmt.Sprintf(" %.0f%% spent", *share*100))
	}
	p.line("  ", dollars(f.Budget.SpentUSD), " spent, ", dollars(f.Budget.RemainingUSD), " remaining")
	tokens := "tokens"
	if f.Tokens.Total != nil {
		tokens = grouped(*f.Tokens.Total) + " tokens"
	}
	p.line("  ", tokens, ": ", figure(f.Tokens.Prompt), " prompt, ", figure(f.Tokens.Completion), " completion")
}

// figure returns a number as the message has it.
func figure(number []byte) string {
	if number == nil {
		return "unknown"
	}
	return clip(string(number), 24)
}

func dollars(number []byte) string {
	text := figure(number)
	switch {
	case number == nil:
		return text
	case number[0] == '-':
		return "-$" + text[1:]
	default:
		return "$" + text
	}
}

func (p *picture) bytes(f inspect.Facts) {
	size := plural(f.Bytes, "byte")
	if f.CompactBytes != f.Bytes {
		size += ", " + grouped(int64(f.CompactBytes)) + " compact"
	}
	if f.SizeTokens > 0 {
		size += ", " + plural(f.SizeTokens, "token")
	}
	p.section("Where the bytes go", size)
	p.members(f.Members, f.SizeTokens > 0 && f.Context == nil)
}

// members draws the sizes of members, in tokens where they are counted.
func (p *picture) members(list []inspect.Member, counted bool) {
	var rows []row
	for _, m := range list[:min(len(list), mostRows)] {
		figures := []string{grouped(int64(m.Bytes)), fmt.Sprintf("%.1f%%", m.Share*100)}
		if counted {
			figures = append(figures, plural(m.Tokens, "token"))
		}
		rows = append(rows, row{m.Name, figures, float64(m.Bytes)})
	}
	p.rows(rows)
	p.more(len(list) - mostRows)
}

func (p *picture) conversation(f inspect.Facts) {
	if f.Format == format.SW4RMResponse {
		return // it has no place for one
	}
	p.section("Conversation", plural(f.VerbatimTurns, "turn")+" verbatim, "+plural(f.SummaryCharacters, "character")+" of summary")
	var rows []row
	for _, r := range f.Roles[:min(len(f.Roles), mostRows)] {
		figures := []string{plural(r.Turns, "turn"), plural(r.Bytes, "byte")}
		if f.SizeTokens > 0 {
			figures = append(figures, plural(r.Tokens, "token"))
		}
		rows = append(rows, row{r.Role, figures, float64(r.Bytes)})
	}
	p.rows(rows)
	p.more(len(f.Roles) - mostRows)
}

func (p *picture) tools(f inspect.Facts) {
	if len(f.Tools) == 0 {
		return
	}
	p.section("Tools", "")
	var rows []row
	for _, t := range f.Tools[:min(len(f.Tools), mostRows)] {
		if _, ok := systems[f.Format]; ok { // only canonical messages tell what the calls put out
			rows = append(rows, row{t.Tool, []string{plural(t.Calls, "call")}, float64(t.Calls)})
			continue
		}
		rows = append(rows, row{t.Tool, []string{plural(t.Calls, "call"), grouped(t.OutputTokens) + " output tokens"}, float64(t.OutputTokens)})
	}
	p.rows(rows)
	p.more(len(f.Tools) - mostRows)
}

// A row is a line of a table: a name, figures, and a quantity for its bar.
type row struct {
	name     string
	figures  []string
	quantity float64
}

// rows draws a table. The longest bar is that of the largest quantity.
func (p *picture) rows(rows []row) {
	if len(rows) == 0 {
		return
	}
	names, largest := 0, 1.0
	figures := make([]int, len(rows[0].figures))
	for i, r := range rows {
		if r.name == "" {
			rows[i].name = "(none)"
		}
		names = max(names, width(clip(rows[i].name, 30)))
		largest = max(largest, r.quantity)
		for j, figure := range r.figures {
			figures[j] = max(figures[j], width(figure))
		}
	}
	for _, r := range rows {
		line := "  " + left(r.name, names)
		for j, figure := range r.figures {
			line += "  " + right(figure, figures[j])
		}
		columns := min(p.width-width(line)-2, longestBar)
		p.line(line, "  ", p.cyan(bar(r.quantity/largest, columns)))
	}
}

func (p *picture) findings(r validate.Result) {
	if len(r.Findings) == 0 {
		p.section("Findings", "none")
		return
	}
	count := map[validate.Severity]int{}
	places := 0
	for i, f := range r.Findings {
		count[f.Severity]++
		if i < mostFindings {
			places = max(places, len(place(f)))
		}
	}
	heading := plural(count[validate.Error], "error") + ", " + plural(count[validate.Warning], "warning")
	if n := count[validate.Note]; n > 0 {
		heading += ", " + plural(n, "note")
	}
	p.section("Findings", heading)
	for i, f := range r.Findings {
		if i == mostFindings {
			p.more(len(r.Findings) - i)
			return
		}
		p.finding(f, places)
	}
}

func place(f validate.Finding) string { return fmt.Sprintf("%d:%d", f.Line, f.Column) }

func (p *picture) finding(f validate.Finding, places int) {
	severity := left(string(f.Severity), len(validate.Warning))
	indent := 2 + len(severity) + 2 + places + 2
	lines := wrap(f.PlacedMessage(), p.width-indent, mostFindingLines)
	rule := "[" + clip(string(f.Layer)+"/"+f.Keyword, 50) + "]"
	if last := len(lines) - 1; last >= 0 && width(lines[last])+1+width(rule) <= p.width-indent {
		lines[last] += " " + p.dim(rule)
	} else {
		lines = append(lines, p.dim(rule))
	}
	p.line("  ", p.severity(f.Severity)(severity), "  ", right(place(f), places), "  ", lines[0])
	for _, line := range lines[1:] {
		p.line(spaces(indent), line)
	}
}
