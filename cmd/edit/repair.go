package edit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
	"github.com/eaapl/handoff/pkg/repair"
)

// repairFlags are the flags of repair.
type repairFlags struct {
	cli.Rewriting
	cli.FormatFlag
	provider string
	archive  string
	restore  string
	dryRun   bool
	format   string
	quiet    bool
}

func NewRepair(g *cli.Globals) *cobra.Command {
	f := &repairFlags{Rewriting: cli.Rewriting{Globals: g, KeepsEnds: true}}
	c := &cobra.Command{
		Use:   "repair [FILE|DIR|-]...",
		Short: "Repair chat histories that model APIs reject",
		Long: `Repair fixes chat histories that a provider's API rejects (see handoff validate --for),
and reports each change. Without --for, it uses the API whose format the message has, or
else the rules for the order of calls and results in OpenAI's Chat API, which all other
APIs accept.

A call without a result gets one: "` + repair.NoResult + `".
A result without a call, or a second, different result, becomes a note in a user turn,
with its content and the id. Identical duplicates are dropped. Turns are moved only as
far as the order of calls and results requires; consecutive turns of one role are merged
if the API requires it; reasoning that cannot be sent again is dropped. Ids and names
that the API rejects are replaced.

Correct histories stay unchanged, byte for byte, and a repaired history is not changed
again. --archive stores the original values, and --restore puts them back, byte for
byte.

Exit code 0: all histories are correct or repaired; 1: an API would still reject a
message, which is left out, or the archive belongs to none of the messages; 2: an input
could not be read.`,
		Example: `  handoff repair --for anthropic history.json > good.json
  handoff repair --for openai-chat --dry-run -f json history.json
  handoff repair --archive taken.jsonl -i histories/
  handoff repair --restore taken.jsonl good.json`,
		RunE: func(c *cobra.Command, args []string) error {
			if err := input.OneStdin(args); err != nil {
				return err
			}
			if f.restore != "" {
				return f.runRestore(c, args)
			}
			return f.runRepair(c, args)
		},
	}
	flags := c.Flags()
	flags.StringVar(&f.provider, "for", "", "`PROVIDER` whose API must accept the history: "+provider.Names())
	f.FormatFlag.Register(c)
	flags.StringVar(&f.archive, "archive", "", "append the original values to `FILE`")
	flags.StringVar(&f.restore, "restore", "", "restore the original values from the archive `FILE`")
	flags.BoolVar(&f.dryRun, "dry-run", false, "only print the planned changes, on stdout")
	cli.RegisterFormat(c, &f.format, "report format: text, json", report.PlainFormats)
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "suppress the report")
	f.RegisterOutput(c)
	f.RegisterInPlace(c)
	cli.Complete(c, "for", cli.Names(provider.All())...)
	cli.OnlyForCall(c, "for")
	return c
}

// A repairRecord is the report on one message.
type repairRecord struct {
	Source  string            `json:"source"`
	Index   int               `json:"index"`
	Format  string            `json:"format"`
	For     provider.Provider `json:"for"`
	Steps   []repair.Step     `json:"steps"`
	Left    []finding.Finding `json:"left"`
	place   input.Origin
	archive []byte
}

func repairRecordOf(d input.Document, r repair.Result) repairRecord {
	return repairRecord{Source: d.Source.Name, Index: d.Index, Format: string(r.Format), For: r.For, Steps: r.Steps, Left: r.Left, place: d.Origin(), archive: r.Archive}
}

func (f *repairFlags) runRepair(c *cobra.Command, args []string) error {
	if f.provider != "" {
		if _, err := provider.Parse(f.provider); err != nil {
			return fmt.Errorf("--for: %w", err)
		}
	}
	switch {
	case f.dryRun && (f.InPlace || f.Output != "" || f.archive != ""):
		return errors.New("--dry-run writes nothing: leave out --in-place, --output and --archive")
	case f.archive != "":
		if err := f.ClaimArchive(f.archive); err != nil {
			return err
		}
	}
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		if d.Err != nil {
			return nil, input.InFile(d.Source.Name, d.Err)
		}
		doc, damage, err := repair.Parse(d.Raw, f.Limits)
		if err != nil {
			return nil, input.InFile(d.Source.Name, err)
		}
		r, err := repair.Message(doc, f.Limits, repair.Options{Format: f.From, For: provider.Provider(f.provider), Damage: damage})
		if err != nil {
			return nil, cli.InDocument(d, err)
		}
		record := repairRecordOf(d, r)
		if len(r.Left) == 0 || f.dryRun {
			publish(record)
		}
		if len(r.Left) > 0 {
			return nil, cli.Reject(fmt.Errorf("%s: cannot be repaired for %s: %s", d.Origin(), r.For, term.Visible(finding.Details(r.Left))))
		}
		if f.dryRun {
			return dst, nil
		}
		return append(dst, r.Text...), nil
	}
	f.LongLines = true
	f.Copy = func(d input.Document, file *os.File, publish func(any)) (end int64, ok bool) {
		r, end, err := repair.Lines(jsonstream.LinesFile{In: file, Start: d.Raw.Start, End: d.Long}, f.Limits, repair.Options{Format: f.From, For: provider.Provider(f.provider)})
		if err != nil { // including read errors: reading the whole document returns them again
			return 0, false
		}
		publish(repairRecordOf(d, r))
		if f.dryRun {
			end = d.Raw.Start.Offset
		}
		return end, true
	}
	f.Publish = func(news []any) error { return f.report(c, news) }
	return f.Rewriting.Run(c, args)
}

// report archives the changed messages and then reports the changes.
func (f *repairFlags) report(c *cobra.Command, news []any) error {
	var lines []byte
	for _, n := range news {
		if entry := n.(repairRecord).archive; entry != nil {
			lines = append(append(lines, entry...), '\n')
		}
	}
	if f.archive != "" && lines != nil {
		if err := f.AppendLocked(f.archive, lines); err != nil {
			return err
		}
	}
	out := c.ErrOrStderr()
	if f.dryRun {
		out = c.OutOrStdout()
	}
	for _, n := range news {
		switch r := n.(repairRecord); {
		case f.quiet:
		case f.format == "json":
			if err := report.WriteJSON(out, r); err != nil {
				return err
			}
		default:
			if err := r.writeText(out); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxSteps is the maximum number of steps in the text report.
const maxSteps = 20

// writeText writes the report for people.
func (r repairRecord) writeText(w io.Writer) error {
	var text bytes.Buffer
	for i, s := range r.Steps {
		if i == maxSteps {
			fmt.Fprintf(&text, "handoff: %s: and %d more\n", r.place, len(r.Steps)-i)
			break
		}
		place := ""
		if s.Pointer != "" {
			place = term.Visible(finding.Pointer(s.Pointer)) + ": "
		}
		rule := ""
		if s.Rule != "" {
			rule = " [" + s.Rule + "]"
		}
		fmt.Fprintf(&text, "handoff: %s: %s%s%s\n", r.place, place, term.Visible(s.Did), rule)
	}
	_, err := w.Write(text.Bytes())
	return err
}

func (f *repairFlags) runRestore(c *cobra.Command, args []string) error {
	if f.archive != "" || f.dryRun || f.provider != "" {
		return errors.New("--restore: leave out --archive, --dry-run and --for, which are for repairs")
	}
	file, closeFile, err := f.OpenFile(f.restore)
	if err != nil {
		return err
	}
	defer closeFile() // read only: nothing can be lost
	archive, err := repair.ReadArchive(compress.NewReader(file, f.Unpacking))
	if err != nil {
		return fmt.Errorf("%s: %w", f.restore, term.PlainError(err))
	}
	var restored atomic.Int64
	f.Rewrite = func(dst []byte, d input.Document, publish func(any)) ([]byte, error) {
		if _, err := d.Parse(f.Limits); err != nil {
			return nil, err
		}
		text, err := archive.Restore(d.Raw.Bytes)
		switch {
		case errors.Is(err, repair.ErrNoEntry): // not repaired, or not with this archive
			publish(fmt.Sprintf("%s: %v: left unchanged", d.Origin(), err))
			return append(dst, d.Raw.Bytes...), nil
		case err != nil:
			return nil, cli.Reject(cli.InDocument(d, err))
		}
		restored.Add(1)
		return append(dst, text...), nil
	}
	f.Publish = func(news []any) error {
		for _, n := range news {
			if _, err := fmt.Fprintf(c.ErrOrStderr(), "handoff: %s\n", term.Visible(n.(string))); err != nil {
				return err
			}
		}
		return nil
	}
	if err := f.Rewriting.Run(c, args); err != nil {
		return err
	}
	if restored.Load() == 0 {
		return cli.ErrNo
	}
	return nil
}
