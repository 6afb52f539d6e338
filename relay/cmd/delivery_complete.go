package cmd

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// sentHandoffs completes the id of a handoff that was sent, with its state for its first receiver.
func (f *deliveryFlags) sentHandoffs() relayflags.IDs {
	return f.sent(relayflags.HandoffID, func(list []*deliver.Handoff) string { return whereabouts(list[0]) })
}

func whereabouts(h *deliver.Handoff) string {
	return string(h.State) + " " + h.Sender + " -> " + h.Receiver
}

// sentTasks completes the id of a task that was sent, with where it is.
func (f *deliveryFlags) sentTasks() relayflags.IDs {
	return f.sent(relayflags.TaskID, func(list []*deliver.Handoff) string {
		return deliver.TaskStatus(list) + " " + list[0].Sender + " -> " + list[0].Receiver
	})
}

// sent finds the ids of what was sent, the newest first, with what describe says of the handoff.
// The audit log knows which were dispatched last: the store would have to read all that it has.
func (f *deliveryFlags) sent(id func(*audit.Record) string, describe func([]*deliver.Handoff) string) relayflags.IDs {
	return func(ctx context.Context, fits func(string) bool, offer func(string, string) bool) error {
		return f.look(ctx, func(store *deliver.Store) error {
			var failed error
			err := f.log.EachNewest(ctx, []audit.Event{audit.Dispatched}, func(s audit.Stored) bool {
				if !fits(id(&s.Record)) {
					return true
				}
				list, err := store.Find(ctx, s.HandoffID)
				switch {
				case errors.As(err, new(*deliver.UnknownError)):
					return true // sent from another store, or pruned
				case err != nil:
					failed = err
					return false
				}
				return offer(id(&s.Record), describe(list))
			})
			return errors.Join(err, failed)
		})
	}
}

// stuckHandoffs completes the id of a handoff that waits for a person, the newest first.
func (f *deliveryFlags) stuckHandoffs() relayflags.IDs {
	return func(ctx context.Context, _ func(string) bool, offer func(string, string) bool) error {
		return f.look(ctx, func(store *deliver.Store) error {
			list, err := store.List(ctx, false)
			for _, h := range slices.Backward(list) {
				if h.Stuck() && !offer(h.HandoffID, whereabouts(h)) {
					break
				}
			}
			return err
		})
	}
}

// look calls use with the store, which it does not change.
func (f *deliveryFlags) look(ctx context.Context, use func(*deliver.Store) error) error {
	log, err := f.log.Open(ctx, false)
	if err != nil {
		return err
	}
	defer log.Store().Close() // nothing was written
	store, err := f.store.Open(ctx, log, false)
	if err != nil {
		return err
	}
	defer store.Close() // the same
	return use(store)
}
