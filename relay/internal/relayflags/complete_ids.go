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

// What the completion of ids costs at most: it must not wait.
const (
	maxOffered  = 50   // ids
	maxLookedAt = 2000 // records, the newest
	maxWait     = time.Second / 2
)

// An IDs finds ids for completion. For each it calls offer, which says whether more are wanted, with
// what is known of it. Those for which fits is false need not be offered: they would be passed over,
// since they were offered before or do not begin as what was typed.
type IDs func(ctx context.Context, fits func(id string) bool, offer func(id, what string) bool) error

// CompleteIDs offers what find finds, in its order, each id once. Where something cannot be read
// there is nothing, and nobody is told.
func CompleteIDs(find IDs) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begin string) ([]cobra.Completion, cobra.ShellCompDirective) {
		const how = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
		c.SetErr(io.Discard)
		// Where the records are may be in the environment or a configuration file.
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

// EachNewest calls visit with the newest records of the log of some events (any if there are none),
// the newest first, until it returns false, and with no more than completion may look at.
func (f *AuditLogFlag) EachNewest(ctx context.Context, events []audit.Event, visit func(audit.Stored) bool) error {
	log, err := f.Open(ctx, false)
	if err != nil {
		return err
	}
	defer log.Store().Close() // it has written nothing
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

// HandoffID returns the id of a record's handoff, for the same.
func HandoffID(r *audit.Record) string { return r.HandoffID }

// Recorded returns what completes an id that records have: the newest first, each with when its
// newest record was made, and of what.
func (f *AuditLogFlag) Recorded(id func(*audit.Record) string) IDs {
	return func(ctx context.Context, _ func(string) bool, offer func(string, string) bool) error {
		return f.EachNewest(ctx, nil, func(s audit.Stored) bool {
			return offer(id(&s.Record), s.RecordedAt.Format(time.DateTime)+" "+string(s.Event))
		})
	}
}

// unfit reports whether a shell may take a character of an id for something else: whoever sends
// messages chooses their ids.
func unfit(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_.:/@+", r)
}
