package cmd

import (
	"context"
	"errors"
	"slices"

	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/deliver"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// sentHandoffs completes the id of a sent handoff, with its state at its first receiver.
func (f *deliveryFlags) sentHandoffs() relayflags.IDs {
	return f.sent(relayflags.HandoffID, func(list []*deliver.Handoff) string { return whereabouts(list[0]) })
}

func whereabouts(h *deliver.Handoff) string {
	return string(h.State) + " " + h.Sender + " -> " + h.Receiver
}

// sentTasks completes the id of a sent task, with its status.
func (f *deliveryFlags) sentTasks() relayflags.IDs {
	return f.sent(relayflags.TaskID, func(list []*deliver.Handoff) string {
		return deliver.TaskStatus(list) + " " + list[0].Sender + " -> " + list[0].Receiver
	})
}

// sent completes the ids of sent handoffs, newest first, with the text of describe. It finds the newest ones
// in the audit log: the store would have to read all its handoffs.
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

// stuckHandoffs completes the ids of handoffs that wait for a person, newest first.
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

// look calls use with the store, for reading only.
func (f *deliveryFlags) look(ctx context.Context, use func(*deliver.Store) error) error {
	log, err := f.log.Open(ctx, false)
	if err != nil {
		return err
	}
	defer log.Store().Close() // read only: errors of Close do not matter
	store, err := f.store.Open(ctx, log, false)
	if err != nil {
		return err
	}
	defer store.Close() // read only: errors of Close do not matter
	return use(store)
}
