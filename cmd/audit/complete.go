package audit

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/cmd/internal/cli"
	"github.com/eaapl/handoff/pkg/audit"
)

// What completion costs at most: it must not wait.
const (
	maxOffered  = 50   // ids
	maxLookedAt = 2000 // records, the newest
	maxWait     = time.Second
)

func taskOf(r *audit.Record) string    { return r.TaskID }
func handoffOf(r *audit.Record) string { return r.HandoffID }

// completeID offers ids of the newest records for the first argument, the newest first. Where
// the log cannot be read, there are none.
func completeID(log *cli.AuditLogFlag, id func(*audit.Record) string) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const how = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		if len(args) > 0 {
			return nil, how
		}
		c.SetErr(io.Discard)
		// Where the log is may be in the environment or a configuration file.
		if configure := c.Root().PersistentPreRunE; configure != nil && configure(c, nil) != nil {
			return nil, how
		}
		ctx, cancel := context.WithTimeout(c.Context(), maxWait)
		defer cancel()
		return newestIDs(ctx, log, id, begin), how
	}
}

// newestIDs returns ids that begin with a text, with the time of the newest record that has
// each; none if the log cannot be read.
func newestIDs(ctx context.Context, flag *cli.AuditLogFlag, id func(*audit.Record) string, begin string) (list []cobra.Completion) {
	log, err := flag.Open(ctx, false)
	if err != nil {
		return nil
	}
	defer log.Store().Close() // it has written nothing
	seen := map[string]bool{}
	err = log.Store().View(ctx, func(r audit.Reader) error {
		for s, err := range r.Records(audit.Filter{Newest: true, Limit: maxLookedAt}) {
			if err != nil || len(list) == maxOffered {
				return err
			}
			name := id(&s.Record)
			if name == "" || seen[name] || !strings.HasPrefix(name, begin) || strings.ContainsFunc(name, unfit) {
				continue
			}
			seen[name] = true
			list = append(list, cobra.CompletionWithDesc(name, s.RecordedAt.Format(timeForm)))
		}
		return nil
	})
	if err != nil {
		return nil
	}
	return list
}

// unfit reports whether a shell may take a character of an id for something else: whoever sends
// messages chooses their ids.
func unfit(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/@+", r)
}
