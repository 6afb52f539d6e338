//go:build unix

package classifier

import (
	"context"
	"errors"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/eaapl/handoff/internal/child"
)

// answering is a classifier in the shell that answers every text.
const answering = `while IFS= read -r line; do id=${line#'{"id":"'}; echo "{\"id\":\"${id%%\"*}\",\"score\":0.5}"; done; `

// hang is how long a test waits for an immediate event.
const hang = time.Minute

// TestClassifierEnds sends many texts at once to classifiers that try to block the run.
func TestClassifierEnds(t *testing.T) {
	const (
		short    = 300 * time.Millisecond
		noAnswer = "wrote a line that is not an answer: "
		silent   = "has not answered for 300ms"
		early    = "ended before it answered all texts"
		stays    = "has not ended 300ms after the end of its input"
	)
	tests := []struct{ command, want string }{
		{"yes", noAnswer},
		{"yes | cat", noAnswer},
		{"yes & yes", noAnswer},
		{"yes | tr -d '\\n'", "longer than"},
		{"cat /dev/zero", "longer than"},
		{"echo bad; sleep 1000", noAnswer},
		{"echo; sleep 1000", noAnswer},
		{"echo null; sleep 1000", noAnswer},
		{"cat", noAnswer},
		{"echo bad; exec 0<&- 1>&-; sleep 1000", noAnswer},
		{"printf half; sleep 1000", silent},
		{"head -n 1; sleep 1000", noAnswer},
		{"head -c 10; sleep 1000", silent},
		{`printf '{"id":"1","sc'; sleep 1000`, silent},
		{"head -c 60000 /dev/zero; sleep 1000", silent},
		{"sleep 1000", silent},
		{"sleep 1000 & sleep 1000 & wait", silent},
		{"cat >/dev/null; sleep 1000", silent},
		{"exec 0<&-; sleep 1000", silent},
		{"trap '' TERM INT HUP PIPE; sleep 1000; sleep 1000", silent},
		{"kill -STOP $$", silent},
		{"kill -STOP 0", silent},
		{"while :; do :; done", silent},
		{"yes >&2", silent},
		{"cat /dev/zero >&2", silent},
		{"exec 1>&-; sleep 1000", early},
		{"exec 0<&- 1>&- 2>&-; sleep 1000", early},
		{"exit 0", early},
		{"exit 3", early},
		{"sleep 1000 & exit 0", early},
		{"read -r line; exit 0", early},
		{"printf half; exit 0", noAnswer},
		{"kill -KILL $$", early},
		{`while :; do echo '{"id":"1","score":0}'; done`, "which was not sent, or was answered before"},
		{`echo '{"id":"1","score":1e9}'; sleep 1000`, "a score lies between 0 and 1"},
		{answering + "sleep 1000", stays},
		{answering + "sleep 1000 & wait", stays},
		{answering + "exec 1>&-; sleep 1000", stays},
		{answering + "printf half; sleep 1000", stays},
		{answering + "kill -STOP $$", stays},
		{answering + "echo bye", noAnswer},
		{answering + "yes", noAnswer},
		{answering + "cat /dev/zero", "longer than"},
		{answering + "exit 3", "failed: exit status 3"},
		{answering + "kill -TERM $$", "failed: signal: terminated"},
		{answering, ""},
		{answering + "sleep 1000 & exit 0", ""},
		{"sleep 1000 & yes >&2 & " + answering, ""},
	}
	for _, tt := range tests {
		t.Run(tt.command, func(t *testing.T) {
			timeout := hang // if the test is not about the timeout
			if tt.want == silent {
				timeout = short
			}
			o := child.Options{Command: tt.command, Env: child.Environment(os.Environ(), nil), Stderr: func(string) {}}
			c, err := Start(&child.Set{}, o, timeout)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.Repeat("text ", 100)
			if !strings.Contains(tt.command, answering) {
				text = strings.Repeat(text, 100) // more than a pipe holds
			}
			var asked sync.WaitGroup
			errs := make(chan error, 8)
			for range cap(errs) {
				asked.Go(func() {
					var err error
					for range 4 {
						if _, err = c.ask(context.Background(), text); err != nil {
							break
						}
					}
					errs <- err
				})
			}
			done := make(chan error)
			go func() {
				asked.Wait()
				close(errs)
				var err error
				for e := range errs {
					err = errors.Join(err, e)
				}
				if err != nil && !isError(err) {
					t.Errorf("asking: %v", err)
				}
				if tt.want == stays {
					c.timeout = short
				}
				done <- c.Close(err)
			}()
			select {
			case err = <-done:
			case <-time.After(hang):
				t.Fatal("hangs")
			}
			if tt.want == "" && err != nil || tt.want != "" && (!isError(err) || !strings.Contains(err.Error(), tt.want)) {
				t.Errorf("error %v, want %q", err, tt.want)
			}
		})
	}
}

// If a classifier receives no text, the result does not depend on the time at which it ended.
func TestClassifierUnasked(t *testing.T) {
	for _, tt := range []struct{ command, want string }{
		{"exit 0", ""}, {"cat", ""}, {"exec 1>&-; read -r line || exit 0", ""}, {"exec 1>&-", ""},
		{"exit 3", "the classifier failed: exit status 3"},
	} {
		for _, pause := range []time.Duration{0, 50 * time.Millisecond} {
			c, err := Start(&child.Set{}, child.Options{Command: tt.command, Env: os.Environ(), Stderr: func(string) {}}, hang)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(pause)
			if err := c.Close(nil); tt.want == "" && err != nil || tt.want != "" && (err == nil || err.Error() != tt.want) {
				t.Errorf("%s: error %v, want %q", tt.command, err, tt.want)
			}
		}
	}
}

// After an error of the run, nothing waits for the classifier.
func TestClassifierAfterError(t *testing.T) {
	c, err := Start(&child.Set{}, child.Options{Command: "sleep 1000", Env: os.Environ(), Stderr: func(string) {}}, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error)
	go func() { done <- c.Close(io.ErrShortWrite) }()
	select {
	case err := <-done:
		if err != io.ErrShortWrite {
			t.Errorf("error %v", err)
		}
	case <-time.After(hang):
		t.Fatal("hangs")
	}
}

func isError(err error) bool {
	e := (*Error)(nil)
	return errors.As(err, &e)
}
