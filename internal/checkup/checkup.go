// Package checkup looks at the stores, files, servers and folders that a program is configured to use,
// and reports on each.
package checkup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/settings"
)

// A Check looks at one thing.
type Check struct {
	Kind   string
	Place  string // without secrets
	Origin string // of the setting that names it, "" if none does
	Look   func(context.Context, *Result) error
}

// A Result is what became of a check.
type Result struct {
	Kind    string         `json:"kind"`
	Place   string         `json:"place"`
	Origin  string         `json:"origin,omitzero"`
	Status  Status         `json:"status"`
	Server  string         `json:"server,omitzero"`
	Clock   *Clock         `json:"clock,omitzero"`
	Tables  map[string]int `json:"tables,omitzero"` // versions of them
	Free    int64          `json:"freeBytes,omitzero"`
	Notes   []string       `json:"notes,omitzero"` // what may be wrong
	Problem string         `json:"problem,omitzero"`
	Millis  int64          `json:"milliseconds"` // that the check took
}

// Clock says how a server's clock differs.
type Clock struct {
	Ahead  float64 `json:"aheadSeconds"` // negative if it is behind
	Within float64 `json:"withinSeconds"`
}

// A Status is what a check has found, in a word that also stands in the text.
type Status string

const (
	OK   Status = "ok"
	Warn Status = "warn"
	None Status = "none" // not there yet
	Fail Status = "fail"
)

// ErrAbsent is the error of a check of what is made when it is needed.
var ErrAbsent = errors.New("not made yet")

// Run makes all checks at the same time. What has not ended in time is left behind.
func Run(ctx context.Context, timeout time.Duration, checks []Check) []Result {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	type numbered struct {
		i int
		r Result
	}
	ended := make(chan numbered, len(checks)) // nobody waits for what comes late
	results := make([]Result, len(checks))
	began := time.Now()
	deadline, _ := ctx.Deadline()
	for i, k := range checks {
		results[i] = Result{
			Kind: k.Kind, Place: AtHome(k.Place), Origin: AtHome(k.Origin), Status: Fail,
			Problem: fmt.Sprintf("no answer within %v", timeout), Millis: timeout.Milliseconds(),
		}
		r := results[i]
		go func() {
			r.conclude(k.Look(ctx, &r), time.Since(began))
			if time.Now().Before(deadline) { // else it says, in its own words, that it was given up
				ended <- numbered{i, r}
			}
		}()
	}
	for range checks {
		select {
		case n := <-ended:
			if ctx.Err() == nil { // else it says that it was cancelled
				results[n.i] = n.r
			}
		case <-ctx.Done():
			return results
		}
	}
	return results
}

// conclude notes what a check has found.
func (r *Result) conclude(err error, took time.Duration) {
	r.Status, r.Problem, r.Millis = OK, "", took.Milliseconds()
	switch {
	case errors.Is(err, ErrAbsent):
		r.Status = None
	case err != nil:
		r.Status, r.Problem = Fail, AtHome(cli.ShownSetting(err.Error()))
	case len(r.Notes) > 0:
		r.Status = Warn
	}
}

// AtHome returns a text with ~ for the home of the user, whose name nobody needs to know.
func AtHome(text string) string {
	home, err := os.UserHomeDir()
	if err != nil || len(home) < 2 {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, home)
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if after == "" || strings.ContainsAny(after[:1], `/\:,; "'`) {
			home = strings.TrimSuffix(home, string(filepath.Separator))
			b.WriteString("~")
		} else { // another folder, whose name begins so
			b.WriteString(home)
		}
		text = after
	}
}

// A Place is a value of a setting.
type Place struct{ Value, Origin string }

// PlacesOf returns the values of the settings with a flag's name, of all commands, each once.
func PlacesOf(list []settings.Setting, name string) []Place {
	var places []Place
	seen := map[string]bool{}
	for _, s := range list {
		if s.Origin == "default" || s.Flag.Name != name {
			continue
		}
		values := []string{s.Flag.Value.String()}
		if many, ok := s.Flag.Value.(pflag.SliceValue); ok {
			values = many.GetSlice()
		}
		for _, value := range values {
			if value != "" && !seen[value] {
				seen[value] = true
				places = append(places, Place{value, s.Origin})
			}
		}
	}
	return places
}
