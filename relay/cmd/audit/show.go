package audit

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// showFlags are the flags of show.
type showFlags struct {
	readFlags
	message bool
}

func newShow(g *cli.Globals) *cobra.Command {
	f := &showFlags{readFlags: readFlags{Globals: g}}
	c := &cobra.Command{
		Use:   "show RECORD|HANDOFF",
		Short: "Show a record of the audit log, or all records of a handoff",
		Long: `Show prints a record, by its number or a prefix of its hash, with the findings in the
message and the later events of the handoff; or, for the id of a handoff, all its
records. A hash is searched in the whole log.

--message prints the message of the record, byte for byte. -f json writes the records in
the same form as "audit list".

Exit code 0: found; 1: the log has no such record or handoff, or lacks its message; 2:
the log could not be read.`,
		Example: `  handoff audit show 0
  handoff audit show --message 0 > message.json`,
		ValidArgsFunction: relayflags.OneID(f.log.Recorded(relayflags.HandoffID)),
		Args:              cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f.exact = f.message
			return f.run(c, func(r audit.Reader, out *output.File) error {
				found, err := trace.Find(r, args[0])
				switch {
				case err != nil:
					return err
				case f.message:
					return writeMessage(out, r, found)
				case f.format == "json":
					return writeRecords(out, found)
				default:
					return showText(out, r, f.picture(c, out), found)
				}
			})
		},
	}
	f.registerMessages(c, "text", "json")
	c.Flags().BoolVar(&f.message, "message", false, "print only the message, unchanged")
	cli.OnlyForCall(c, "message")
	return c
}

func writeMessage(w io.Writer, r audit.Reader, found *trace.Found) error {
	text, err := found.Message(r)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

func writeRecords(w io.Writer, found *trace.Found) error {
	for i := range found.Records {
		if err := writeRecord(w, &found.Records[i]); err != nil {
			return err
		}
	}
	return nil
}

// showText writes the requested records in full, and later ones in a line each.
func showText(w io.Writer, r audit.Reader, p term.Picture, found *trace.Found) error {
	for i := range found.Records {
		if i > 0 {
			p.Line()
		}
		erased, err := erasure(r, &found.Records[i])
		if err != nil {
			return err
		}
		inFull(&p, &found.Records[i], erased)
	}
	if len(found.After) > 0 {
		p.Section("Later", "")
		for i := range found.After {
			brief(&p, &found.After[i])
		}
	}
	_, err := p.Text.WriteTo(w)
	return err
}

// labelColumns is the column of the values.
const labelColumns = 12

// erasure returns a description of a record's erased data, with time and reason, or of the data that it
// erased; "" for none.
func erasure(r audit.Reader, s *audit.Stored) (string, error) {
	if s.Event == audit.Erased {
		n, first, last, err := personal.Erased(r, *s)
		switch {
		case err != nil || n == 0:
			return "", err
		case n == 1:
			return fmt.Sprint("the personal data of record ", first), nil
		}
		return fmt.Sprintf("the personal data of %s, the first %d and the last %d", term.Plural(n, "record"), first, last), nil
	}
	by, err := personal.ErasedBy(r, *s)
	if err != nil || by == nil {
		return "", err
	}
	return (&personal.ErasedError{Sequence: s.Sequence, Erased: *by}).Error(), nil
}

// inFull draws all members of a record, and its erased data.
func inFull(p *term.Picture, s *audit.Stored, erased string) {
	p.Line(p.Bold("record ", s.Sequence), "  ", paint(p, s.Event)(string(s.Event)), "  ", s.RecordedAt.Format(time.RFC3339Nano))
	say := func(label, text string) { // not truncated: hashes are copied
		p.Line(p.Dim(term.Left(label, labelColumns)), term.Visible(text))
	}
	for _, f := range factsOf(s, erased) {
		say(f.Name, f.Value)
	}
	say("hash", s.Hash.String())
	say("previous", s.PreviousRecordHash.String())
	for _, f := range s.Details.Findings {
		text := string(f.Severity) + ": "
		if f.Pointer != "" && !strings.HasPrefix(f.Message, f.Pointer) {
			text += f.Pointer + ": "
		}
		for i, line := range term.Wrap(text+f.Message+" ["+f.Rule+"]", p.Width-4, term.MaxFindingLines) {
			if i == 0 {
				line = p.Severity(f.Severity)(string(f.Severity)) + strings.TrimPrefix(line, string(f.Severity))
			}
			p.Line("  ", line)
		}
	}
	p.More(s.Details.MoreFindings)
}

// factsOf returns the members of a record except its event, time, hashes and findings, and its erased data.
func factsOf(s *audit.Stored, erased string) []viewer.Fact {
	var list []viewer.Fact
	say := func(label, text string) {
		if text != "" {
			list = append(list, viewer.Fact{Name: label, Value: text})
		}
	}
	say("handoff", s.HandoffID)
	say("task", s.TaskID)
	say("parent", s.ParentHandoffID)
	if s.Sender != "" || s.Receiver != "" {
		say("agents", strings.TrimSpace(s.Sender+" → "+s.Receiver))
	}
	say("receivers", strings.Join(s.Details.Receivers, ", "))
	say("reason", string(s.Reason))
	if s.Attempt > 0 {
		say("attempt", fmt.Sprint(s.Attempt))
	}
	if s.CostSpentUSD != "" {
		say("cost", fmt.Sprintf("$%s spent, $%s left; %s prompt and %s completion tokens", s.CostSpentUSD, s.CostRemainingUSD, term.Grouped(s.PromptTokens), term.Grouped(s.CompletionTokens)))
	}
	if s.LatencyMicros > 0 || s.Transport != "" {
		say("delivery", strings.TrimSpace(s.Transport+" "+term.Elapsed(time.Duration(s.LatencyMicros)*time.Microsecond)))
	}
	say("trace id", s.TraceID)
	say("key", s.KeyID)
	if s.MessageBytes > 0 {
		say("message", fmt.Sprintf("%s, %s", term.Plural(int(s.MessageBytes), "byte"), s.MessageDigest))
	}
	details(say, &s.Details)
	say("erased", erased)
	return list
}

// details reports rarely used members.
func details(say func(label, text string), d *audit.Details) {
	if d.Concerns != nil {
		say("about", fmt.Sprint("record ", *d.Concerns))
	}
	if d.Resumed {
		say("resumed", "handed over by a process other than the one that accepted it")
	}
	if d.Compressed {
		say("compressed", "older turns were summarised")
	}
	say("by", d.By)
	say("explanation", d.Explanation)
	if d.Unsigned {
		say("unsigned", "no signature confirms the author")
	}
	if d.Unrecorded > 0 {
		say("unrecorded", term.Counted(d.Unrecorded, "message")+" since the previous record of this kind")
	}
	say("allowed", strings.Join(d.Allowed, ", "))
	if d.ExitCode != nil {
		say("exit code", fmt.Sprint(*d.ExitCode))
	}
	if d.DurationMicros > 0 {
		say("ran", term.Elapsed(time.Duration(d.DurationMicros)*time.Microsecond))
	}
	say("subject", d.Subject)
	if d.Setting != nil {
		say("setting", d.Setting.Name+" "+d.Setting.Value)
	}
	if a := d.Archive; a != nil {
		say("archive", fmt.Sprintf("the messages of the records %d to %d are in %s, %s", a.First, a.Last, filepath.Join(a.Directory, a.File), a.Digest))
	}
	if d.Removal != nil {
		say("removal", fmt.Sprintf("%s before record %d", term.Counted(d.Removal.Records, "record"), d.Removal.Before))
	}
}
