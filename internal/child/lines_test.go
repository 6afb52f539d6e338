//go:build unix

package child

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"
)

// lines collects standard error.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) add(line string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, line)
}

func TestStderr(t *testing.T) {
	tests := []struct {
		name, command string
		want          []string
	}{
		{"lines", `printf 'one\ntwo\r\n\nlast' >&2`, []string{"one", "two", "", "last"}},
		{"nothing", "true", nil},
		{"raw", `printf '\033[2J\001\377\n' >&2`, []string{"\x1b[2J\x01\xff"}},
		{"long line", `{ head -c 5000 /dev/zero | tr '\0' x; echo; echo after; } >&2`, []string{strings.Repeat("x", maxLine) + "…", "after"}},
		{"whole line of the most bytes", `{ head -c 1023 /dev/zero | tr '\0' x; echo; echo after; } >&2`, []string{strings.Repeat("x", maxLine-1), "after"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWitness(t)
			p, received := w.start(context.Background(), t, &Set{}, tt.command)
			within(t, "Wait", func() {
				if err := p.Wait(); err != nil {
					t.Error(err)
				}
			})
			if got, want := strings.Join(received.all, "\n"), strings.Join(tt.want, "\n"); got != want || len(received.all) != len(tt.want) {
				t.Errorf("got %q, want %q", received.all, tt.want)
			}
		})
	}
}

func TestStderrIsBounded(t *testing.T) {
	for _, command := range []string{"yes >&2", "yes '' >&2", "cat /dev/zero >&2", "while :; do head -c 3000 /dev/zero; echo; done >&2"} {
		w := newWitness(t)
		p, received := w.start(context.Background(), t, &Set{}, "("+command+`) & read -r line; echo "$line"`)
		// The command writes without end, and is not blocked.
		within(t, command, func() {
			if !strings.Contains(command, "zero") {
				for received.last() != leftOut {
					time.Sleep(time.Millisecond)
				}
			}
			io.WriteString(p, "go\n")
			if out, err := io.ReadAll(p); string(out) != "go\n" || err != nil {
				t.Errorf("%s: output %q, error %v", command, out, err)
			}
			if err := p.Wait(); err != nil {
				t.Errorf("%s: %v", command, err)
			}
		})
		n := 0
		for _, line := range received.all {
			n += len(line)
		}
		if n > maxQuoted+maxLine || len(received.all) > maxQuoted/minLine+1 {
			t.Errorf("%s: %d bytes in %d lines", command, n, len(received.all))
		}
		w.isGone(t)
	}
}

func (l *lines) last() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return ""
	}
	return l.all[len(l.all)-1]
}
