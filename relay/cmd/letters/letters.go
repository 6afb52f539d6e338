// Package letters removes dead letters and long bodies from transports, and lists the stores that no command
// reaches.
package letters

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/eaapl/handoff/internal/chunked"
	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/relay/transport"
	"github.com/eaapl/handoff/relay/transport/claimcheck"
	"github.com/eaapl/handoff/relay/transport/dir"
	"github.com/eaapl/handoff/relay/transport/sqlqueue"
)

// Flags name the transports whose dead letters are also removed, and the store of long bodies.
type Flags struct {
	addresses  []string
	claimCheck string
}

// Register registers the flags.
func (f *Flags) Register(c *cobra.Command) {
	c.Flags().StringArrayVar(&f.addresses, "queue", nil, "transport `URL` (dir:, sqlite: or postgres:): also remove its dead letters; may be repeated")
	c.Flags().StringVar(&f.claimCheck, "claim-check", "", "`DIR` that senders and receivers share: also remove long messages there")
	cli.OnlyForCall(c, "queue")
}

// Check returns an error if an address is invalid.
func (f *Flags) Check() error {
	for _, address := range f.addresses {
		if _, _, err := open(address); err != nil {
			return err
		}
	}
	if strings.Contains(f.claimCheck, "://") {
		if _, err := claimcheck.Open(f.claimCheck); err != nil {
			return fmt.Errorf("--claim-check: %w", err)
		}
	}
	return nil
}

// A remover removes the dead letters of some handoffs from a place.
type remover func(ctx context.Context, u *url.URL, handoffs []string) (int, error)

func open(address string) (remover, *url.URL, error) {
	u, err := url.Parse(address)
	if err != nil { // it could contain parts of a password
		return nil, nil, fmt.Errorf("--queue: it is not a URL: use one such as dir:queue")
	}
	switch u.Scheme {
	case "dir":
		return dir.RemoveLetters, u, nil
	case "sqlite", "postgres", "postgresql":
		return sqlqueue.RemoveLetters, u, nil
	default:
		return nil, nil, term.WithHint(fmt.Errorf("--queue %s: handoff cannot remove single dead letters there: use a queue with dir:, sqlite: or postgres: addresses", term.Visible(transport.Shown(u))), "remove them with the tools of that server")
	}
}

// A Store is a store from which data was removed.
type Store struct {
	Store   string `json:"store"`
	Removed int    `json:"removed"`
}

// An UnreachedStore is a store that this command, or every command, does not reach.
type UnreachedStore struct {
	Store string `json:"store"`
	Why   string `json:"why"`
}

// A Reach lists the stores that a removal has reached, and the others.
type Reach struct {
	Reached    []Store          `json:"reached"`
	NotReached []UnreachedStore `json:"notReached"`
}

// Removed notes the number of removals from a store.
func (r *Reach) Removed(store string, n int) { r.Reached = append(r.Reached, Store{store, n}) }

// Left notes a store that is not reached.
func (r *Reach) Left(store, why string) {
	r.NotReached = append(r.NotReached, UnreachedStore{store, why})
}

// WriteText writes a line for each store.
func (r *Reach) WriteText(w io.Writer, _ int, _ term.Palette) error {
	for _, s := range r.Reached {
		if _, err := fmt.Fprintf(w, "removed from %s: %d\n", term.Visible(s.Store), s.Removed); err != nil {
			return err
		}
	}
	for _, b := range r.NotReached {
		if _, err := fmt.Fprintf(w, "not reached: %s: %s\n", term.Visible(b.Store), term.Visible(b.Why)); err != nil {
			return err
		}
	}
	return nil
}

// Remove removes the dead letters and long bodies of some handoffs, which came by some transports, from the
// places of the flags. It notes the removals, and the places that are not reached. After an error, earlier
// removals stay noted.
func (f *Flags) Remove(ctx context.Context, r *Reach, handoffs, transports []string) error {
	handoffs = slices.DeleteFunc(slices.Clone(handoffs), func(id string) bool { return id == "" })
	var reached []string
	for _, address := range f.addresses {
		remove, u, err := open(address)
		if err != nil {
			return err
		}
		n, err := remove(ctx, u, handoffs)
		if err != nil {
			return fmt.Errorf("the dead letters of %s: %w", term.Visible(transport.Shown(u)), err)
		}
		r.Removed("the dead letters of "+transport.Shown(u), n)
		reached = append(reached, strings.TrimSuffix(u.Scheme, "ql"))
	}
	for _, name := range transports {
		if !slices.Contains(reached, name) && name != "http" {
			r.Left("dead letters of "+name, "they contain the message if the receiver ran without --personal-data: name the place with --queue, or remove them with the tools of its server")
		}
		r.Left("other consumers of "+name, "they may have the message")
	}
	if err := f.removeBodies(ctx, r, handoffs, transports); err != nil {
		return err
	}
	if len(transports) > 0 {
		r.Left("the sender", "handoff cannot reach its store, its state and its backups")
	}
	return nil
}

// removeBodies removes the long bodies of some handoffs from their store.
func (f *Flags) removeBodies(ctx context.Context, r *Reach, handoffs, transports []string) error {
	if f.claimCheck == "" {
		if len(transports) > 0 {
			r.Left("a store of long messages", "if sender and receiver use --claim-check, it contains them in plain text: name its folder with --claim-check")
		}
		return nil
	}
	n, err := claimcheck.Remove(ctx, f.claimCheck, func(body []byte) bool { return isOf(handoffs, body) })
	var web *claimcheck.NotListedError
	switch {
	case errors.As(err, &web):
		r.Left("the long messages in "+web.Store, "the server cannot list them: remove them there by their SHA-256")
	case errors.Is(err, fs.ErrNotExist):
		r.Left("the long messages in "+f.claimCheck, "this machine has no such folder")
	case err != nil:
		return fmt.Errorf("the long messages in %s: %w", term.Visible(f.claimCheck), err)
	default:
		r.Removed("the long messages in "+f.claimCheck, n)
	}
	return nil
}

// isOf reports whether a body belongs to one of some handoffs: as a message, a chunk of it or an answer to
// it. A body without an id belongs to a handoff if it contains the handoff's id anywhere.
func isOf(handoffs []string, body []byte) bool {
	if doc, err := jsonstream.Parse(jsonstream.NewRaw(body), jsonstream.Limits{MaxBytes: int64(len(body)) + 1}); err == nil {
		id := doc.Root().Get("handoffId").Text()
		if head, ok := chunked.HeadOf(doc.Root()); ok {
			id = head.Stream
		}
		if id != "" {
			return slices.Contains(handoffs, id)
		}
	}
	return slices.ContainsFunc(handoffs, func(id string) bool { return bytes.Contains(body, []byte(id)) })
}
