// Package dir carries messages through a folder of one machine, without a server: "dir:PATH".
//
// A message is a readable file: header lines, an empty line, the body. It is written to PATH/new,
// and a consumer takes it by renaming it into PATH/taken/CONSUMER. Other consumers move it back once
// that consumer has died. Dead letters are in PATH/dead, with the reason as their first line;
// answers to a sender are in PATH/answers/SENDER, in the same way. Files with other names in these
// folders are ignored.
//
// Files are created with mode 0600 and folders with 0700: senders and receivers are one user.
package dir

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/eaapl/handoff/relay/transport"
)

// Publish opens a folder for sending messages. A missing folder is created.
func Publish(_ context.Context, u *url.URL, o transport.Options) (transport.Publisher, error) {
	p, err := open(u, o)
	if err != nil {
		return nil, err
	}
	if err := p.messages.make(); err != nil {
		return nil, err
	}
	return publisher{p}, nil
}

// Consume opens a folder for taking messages. A missing folder is created.
func Consume(_ context.Context, u *url.URL, o transport.Options) (transport.Consumer, error) {
	p, err := open(u, o)
	if err != nil {
		return nil, err
	}
	return newConsumer(p, p.messages)
}

// Check returns an error if an address cannot be a folder.
func Check(u *url.URL) error {
	_, err := open(u, transport.Options{})
	return err
}

// A place is a folder with messages and answers.
type place struct {
	path     string
	options  transport.Options
	messages *box
	mu       sync.Mutex
	answers  map[string]*box // by the name of the sender
}

func open(u *url.URL, o transport.Options) (*place, error) {
	path := u.Path
	if u.Opaque != "" {
		var err error
		if path, err = url.PathUnescape(u.Opaque); err != nil {
			return nil, fmt.Errorf("dir:%s: %w: write a percent sign in a name as %%25", u.Opaque, err)
		}
	}
	switch {
	case u.Host != "":
		return nil, fmt.Errorf("dir://%s%s: is on another machine: write a folder of this machine as dir:PATH", u.Host, path)
	case path == "":
		return nil, errors.New("dir: names no folder: write it as dir:PATH")
	case strings.ContainsRune(path, 0):
		return nil, fmt.Errorf("dir:%s: a name cannot contain the character %%00", url.PathEscape(path))
	case u.RawQuery != "":
		return nil, fmt.Errorf("dir:%s?%s: a folder has no parameters: write a question mark in a name as %%3F", path, u.RawQuery)
	case u.Fragment != "":
		return nil, fmt.Errorf("dir:%s#%s: write a # in a name as %%23", path, u.Fragment)
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	return &place{path: path, options: o.WithDefaults(), messages: newBox(path), answers: map[string]*box{}}, nil
}

// running returns the folder in which consumers mark themselves as running.
func (p *place) running() string { return filepath.Join(p.path, "running") }

// dead returns the folder of dead letters.
func (p *place) dead() string { return filepath.Join(p.path, "dead") }

// answersTo returns the box of the answers to a sender.
func (p *place) answersTo(replyTo string) (*box, error) {
	if !transport.IsName(replyTo) {
		return nil, &transport.PermanentError{Err: fmt.Errorf("%q cannot be the name of a sender: use up to 64 of a–z, 0–9 and -", replyTo)}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.answers[replyTo]
	if b == nil {
		b = newBox(filepath.Join(p.path, "answers", replyTo))
		if err := b.make(); err != nil {
			return nil, err
		}
		p.answers[replyTo] = b
	}
	return b, nil
}

type publisher struct{ place *place }

func (p publisher) Publish(ctx context.Context, m transport.Message) (transport.Receipt, error) {
	waits, err := p.place.messages.put(ctx, &m)
	if errors.Is(err, fs.ErrPermission) {
		err = &transport.PermanentError{Err: err}
	}
	return transport.Receipt{Duplicate: waits}, err
}

func (p publisher) Answers(_ context.Context, replyTo string) (transport.Consumer, error) {
	b, err := p.place.answersTo(replyTo)
	if err != nil {
		return nil, err
	}
	return newConsumer(p.place, b)
}

func (publisher) Close() error { return nil }

// plain removes the name of the system call from an error.
func plain(err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	if e := (*os.LinkError)(nil); errors.As(err, &e) {
		return fmt.Errorf("%s: %w", e.New, e.Err)
	}
	return err
}
