package audit

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/merkle"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// verifyFlags are the flags of audit verify.
type verifyFlags struct {
	*cli.Globals
	cli.FactsFlags
	log         relayflags.AuditLogFlag
	checkpoints []string
	proof       string
	record      string
	keyFiles    []string
	quiet       bool
}

func newVerify(g *cli.Globals) *cobra.Command {
	f := &verifyFlags{Globals: g}
	c := &cobra.Command{
		Use:   "verify [--log-checkpoint FILE --key-file PUB]",
		Short: "Verify that the audit log is unchanged",
		Long: `Verify reads the whole log, in constant memory, without trusting stored values: it
recomputes each record's hash from its columns and the previous hash, compares every
message with its record, and recomputes the tree and compares it with the stored one. It
reports changes, and messages that were accepted twice. The database compares its
indexes with its tables: always in SQLite, in PostgreSQL if the extension amcheck is
installed.

A user with write access to the database can truncate the log, or rewrite it from some
record on with correct hashes. Only a checkpoint that was kept elsewhere can reveal
this: --log-checkpoint, which may be repeated.

With --proof, it checks a proof from audit prove, without the log.

Exit code 0: the log or proof is valid; 1: it is not; 2: an input could not be read.`,
		Example: `  handoff audit verify --log-checkpoint kept.checkpoint --key-file log.pub
  handoff audit verify --proof 1.tlog-proof --key-file log.pub`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return f.run(c) },
	}
	f.log.Register(g, c)
	f.log.RegisterArchive(c)
	flags := c.Flags()
	flags.StringArrayVar(&f.checkpoints, "log-checkpoint", nil, "`FILE` of a checkpoint that the log must match; may be repeated")
	flags.StringVar(&f.proof, "proof", "", "`FILE` of a proof to check instead of the log")
	flags.StringVar(&f.record, "proof-record", "", "with --proof: `FILE` of the record as canonical JSON (default: the record in the proof)")
	flags.StringArrayVar(&f.keyFiles, "key-file", nil, "`FILE` of a public Ed25519 key of the checkpoints; may be repeated")
	f.FactsFlags.Register(c, "output format: text, json", "write the output to `FILE`")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print nothing, only set the exit code")
	return c
}

func (f *verifyFlags) run(c *cobra.Command) error {
	if f.proof != "" {
		if len(f.checkpoints) > 0 {
			return errors.New("--proof contains its checkpoint: leave out --log-checkpoint")
		}
		return f.verifyProof(c)
	}
	if f.record != "" {
		return errors.New("--proof-record requires --proof")
	}
	options := audit.VerifyOptions{}
	if len(f.checkpoints) > 0 {
		keys, err := relayflags.CheckpointVerifiers(f.Globals, c, f.keyFiles)
		if err != nil {
			return err
		}
		for _, file := range f.checkpoints {
			text, err := readEvidence(f.Globals, c, file)
			if err != nil {
				return err
			}
			checkpoint, err := verifyCheckpoint(text, keys)
			if err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			options.Checkpoints = append(options.Checkpoints, checkpoint)
		}
	}
	return withLog(c, &f.log, func(l *audit.Log) error {
		out, err := f.open(c)
		if err != nil {
			return err
		}
		shown := int64(0)
		options.Found = func(p audit.Problem) error {
			if shown++; f.MaxFindings > 0 && shown > int64(f.MaxFindings) {
				return nil
			}
			if f.Format == "json" {
				return report.WriteJSON(out, problemJSON(p))
			}
			_, err := fmt.Fprintln(out, term.Visible(p.Message))
			return err
		}
		progress := f.StartDoing(c.ErrOrStderr(), "verifying records", size(c, l))
		defer progress.Stop()
		options.Reached = progress.Reached
		found, err := audit.Verify(c.Context(), l.Store(), options)
		if err == nil && f.Format == "json" {
			err = report.WriteJSON(out, verifiedJSON(found, options))
		} else if err == nil {
			f.summarize(out, found, options)
		}
		return cli.Answer(out.Close(err), 0, found.Problems > 0)
	})
}

// size returns the number of records in a log's head, -1 if it cannot be read: verification reports the
// cause.
func size(c *cobra.Command, l *audit.Log) int64 {
	n := int64(-1)
	_ = l.Store().View(c.Context(), func(r audit.Reader) error {
		head, err := r.Head()
		if err == nil {
			n = head.Size
		}
		return err
	})
	return n
}

// open returns the output for the report.
func (f *verifyFlags) open(c *cobra.Command) (*output.File, error) {
	if f.quiet && f.Output == "" {
		return f.Files.Open("", io.Discard)
	}
	return f.Files.Open(f.Output, c.OutOrStdout())
}

func (f *verifyFlags) summarize(w io.Writer, v audit.Verified, o audit.VerifyOptions) {
	if hidden := v.Problems - int64(f.MaxFindings); f.MaxFindings > 0 && hidden > 0 {
		fmt.Fprintf(w, "and %d more\n", hidden)
	}
	fmt.Fprintf(w, "%s, %s: ", term.Counted(v.Size, "record"), term.Counted(v.Messages, "message"))
	if v.Problems > 0 {
		fmt.Fprintf(w, "%s\n", term.Counted(v.Problems, "problem"))
		f.unchecked(w, v)
		return
	}
	fmt.Fprintln(w, "unchanged")
	if v.Tombstones > 0 {
		fmt.Fprintf(w, "%s removed after the retention period\n", term.Counted(v.Tombstones, "record"))
	}
	fmt.Fprintf(w, "root %s\n", base64.StdEncoding.EncodeToString(v.Root[:]))
	for i, c := range o.Checkpoints {
		fmt.Fprintf(w, "agrees with %s: %s, %s\n", term.Visible(f.checkpoints[i]), term.Visible(c.Origin), term.Counted(c.Size, "record"))
	}
	f.unchecked(w, v)
	if len(o.Checkpoints) == 0 {
		fmt.Fprintln(w, "without --log-checkpoint, verify cannot detect a log that was cut off or rewritten")
	}
}

// unchecked reports why the indexes were not checked, if they were not.
func (f *verifyFlags) unchecked(w io.Writer, v audit.Verified) {
	if v.Unchecked != "" {
		fmt.Fprintf(w, "the indexes were not checked: %s\n", v.Unchecked)
	}
}

func problemJSON(p audit.Problem) any {
	type object struct {
		Problem audit.ProblemKind `json:"problem"`
		First   *int64            `json:"firstRecord,omitempty"`
		Last    *int64            `json:"lastRecord,omitempty"`
		Message string            `json:"message"`
	}
	o := object{Problem: p.Kind, Message: p.Message}
	if p.First >= 0 {
		o.First, o.Last = &p.First, &p.Last
	}
	return o
}

func verifiedJSON(v audit.Verified, o audit.VerifyOptions) any {
	return struct {
		Records     int64      `json:"records"`
		Messages    int64      `json:"messages"`
		Removed     int64      `json:"removedRecords"`
		Problems    int64      `json:"problems"`
		Root        string     `json:"root,omitempty"`
		Last        audit.Hash `json:"lastRecordHash"`
		Checkpoints int        `json:"checkpoints"`
		Indexes     bool       `json:"indexesChecked"`
		Unchecked   string     `json:"indexesUnchecked,omitempty"` // reason
	}{v.Size, v.Messages, v.Tombstones, v.Problems, rootText(v.Root), v.Last, len(o.Checkpoints), v.Unchecked == "", v.Unchecked}
}

func rootText(h audit.Hash) string {
	if h == (audit.Hash{}) {
		return ""
	}
	return base64.StdEncoding.EncodeToString(h[:])
}

// verifyProof verifies a proof without the log.
func (f *verifyFlags) verifyProof(c *cobra.Command) error {
	keys, err := relayflags.CheckpointVerifiers(f.Globals, c, f.keyFiles)
	if err != nil {
		return err
	}
	text, err := readEvidence(f.Globals, c, f.proof)
	if err != nil {
		return err
	}
	p, err := merkle.ParseProof(text)
	if err != nil {
		return fmt.Errorf("%s: %w", f.proof, err)
	}
	record := p.Extra
	if f.record != "" {
		if record, err = readEvidence(f.Globals, c, f.record); err != nil {
			return err
		}
	}
	if len(record) == 0 {
		return fmt.Errorf("%s: the record is not in the proof: name it with --proof-record", f.proof)
	}
	checkpoint, err := verifyCheckpoint(p.Checkpoint, keys)
	if err == nil {
		err = merkle.CheckRecord(p.Hashes, checkpoint.Size, checkpoint.Root, p.Index, sha256.Sum256(record))
	}
	if err != nil {
		if !f.quiet {
			term.PrintError(c.ErrOrStderr(), fmt.Errorf("%s: %w", f.proof, err))
		}
		return cli.ErrNo
	}
	out, err := f.open(c)
	if err != nil {
		return err
	}
	if f.Format == "json" {
		fmt.Fprintf(out, "%s\n", record)
	} else {
		fmt.Fprintf(out, "record %d is one of the %d records of %s\n%s\n", p.Index, checkpoint.Size, term.Visible(checkpoint.Origin), term.Visible(string(record)))
	}
	return out.Close(nil)
}
