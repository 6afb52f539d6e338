package relayflags

import (
	"context"
	"io"
	"strings"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/relay/audit"
)

// Limits of completing ids, which must be fast.
const (
	maxOffered  = 50   // ids
	maxLookedAt = 2000 // newest records
	maxWait     = time.Second / 2
)

// An IDs finds ids for completion. It calls offer for each, with a description, until offer returns false. It
// may skip ids for which fits is false: they were already offered, or do not begin with the typed text.
type IDs func(ctx context.Context, fits func(id string) bool, offer func(id, what string) bool) error

// CompleteIDs offers the ids from find, in order and without duplicates. Read errors are ignored.
func CompleteIDs(find IDs) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const how = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		c.SetErr(io.Discard)
		// The address of the records may be in the environment or a configuration file.
		if configure := c.Root().PersistentPreRunE; configure != nil && configure(c, nil) != nil {
			return nil, how
		}
		ctx, cancel := context.WithTimeout(c.Context(), maxWait)
		defer cancel()
		offered := map[string]bool{}
		fits := func(id string) bool {
			return id != "" && !offered[id] && strings.HasPrefix(id, begin) && !strings.ContainsFunc(id, unfit)
		}
		var list []cobra.Completion
		err := find(ctx, fits, func(id, what string) bool {
			if fits(id) {
				list = append(list, cobra.CompletionWithDesc(id, term.Visible(what)))
				offered[id] = true
			}
			return len(list) < maxOffered
		})
		if err != nil {
			return nil, how
		}
		return list, how
	}
}

// OneID is [CompleteIDs] for a command that takes one id.
func OneID(find IDs) cobra.CompletionFunc {
	complete := CompleteIDs(find)
	return func(c *cobra.Command, args []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return complete(c, args, begin)
	}
}

// EachNewest calls visit with the newest records of some events (all if none are given), newest first, until
// it returns false, or the limit for completion is reached.
func (f *AuditLogFlag) EachNewest(ctx context.Context, events []audit.Event, visit func(audit.Stored) bool) error {
	log, err := f.Open(ctx, false)
	if err != nil {
		return err
	}
	defer log.Store().Close() // read only: errors of Close do not matter
	return log.Store().View(ctx, func(r audit.Reader) error {
		for s, err := range r.Records(audit.Filter{Newest: true, Limit: maxLookedAt, Events: events}) {
			if err != nil || !visit(s) {
				return err
			}
		}
		return nil
	})
}

// TaskID returns the id of a record's task, for [AuditLogFlag.Recorded].
func TaskID(r *audit.Record) string { return r.TaskID }

// HandoffID returns the id of a record's handoff, for [AuditLogFlag.Recorded].
func HandoffID(r *audit.Record) string { return r.HandoffID }

// Recorded returns the completion of an id in records: newest first, with the time and the event of its
// newest record.
func (f *AuditLogFlag) Recorded(id func(*audit.Record) string) IDs {
	return func(ctx context.Context, _ func(string) bool, offer func(string, string) bool) error {
		return f.EachNewest(ctx, nil, func(s audit.Stored) bool {
			return offer(id(&s.Record), s.RecordedAt.Format(time.DateTime)+" "+string(s.Event))
		})
	}
}

// unfit reports whether a character in an id may have a meaning in a shell: senders choose their ids.
func unfit(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/@+", r)
}
