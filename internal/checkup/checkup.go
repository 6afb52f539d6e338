// Package checkup examines the stores, files, servers and folders that a program is configured to use, and
// reports on each.
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

// A Check examines one store, file, server or folder.
type Check struct {
	Kind   string
	Place  string // without secrets
	Origin string // of the setting with the place, "" for none
	// Look returns nil, [ErrAbsent] or the problem. It adds facts and notes to the result.
	Look func(context.Context, *Result) error
}

// A Result is the outcome of a check.
type Result struct {
	Kind    string         `json:"kind"`
	Place   string         `json:"place"`
	Origin  string         `json:"origin,omitzero"`
	Status  Status         `json:"status"`
	Server  string         `json:"server,omitzero"`
	Clock   *Clock         `json:"clock,omitzero"`
	Tables  map[string]int `json:"tables,omitzero"` // schema versions of its tables
	Free    int64          `json:"freeBytes,omitzero"`
	Notes   []string       `json:"notes,omitzero"` // possible problems
	Problem string         `json:"problem,omitzero"`
	Millis  int64          `json:"milliseconds"` // the duration of the check
}

// Clock is the difference between the clocks of a server and of this machine, in seconds.
type Clock struct {
	Ahead  float64 `json:"aheadSeconds"`  // negative if the server is behind
	Within float64 `json:"withinSeconds"` // the precision of Ahead
}

// A Status is the verdict of a check in reports.
type Status string

const (
	OK   Status = "ok"
	Warn Status = "warn"
	None Status = "none" // does not exist yet
	Fail Status = "fail"
)

// ErrAbsent is the error of a check of something that will be created on first use.
var ErrAbsent = errors.New("does not exist yet")

// Run runs all checks concurrently and returns their results in order. A check that does not end within
// timeout has failed; Run does not wait for it.
func Run(ctx context.Context, timeout time.Duration, checks []Check) []Result {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	type numbered struct {
		i int
		r Result
	}
	ended := make(chan numbered, len(checks)) // late results do not block
	results := make([]Result, len(checks))
	began := time.Now()
	deadline, _ := ctx.Deadline()
	for i, k := range checks {
		results[i] = Result{
			Kind: k.Kind, Place: HideHome(k.Place), Origin: HideHome(k.Origin), Status: Fail,
			Problem: fmt.Sprintf("no answer within %v", timeout), Millis: timeout.Milliseconds(),
		}
		r := results[i]
		go func() {
			r.conclude(k.Look(ctx, &r), time.Since(began))
			if time.Now().Before(deadline) { // otherwise the check's own error reports the timeout
				ended <- numbered{i, r}
			}
		}()
	}
	for range checks {
		select {
		case n := <-ended:
			if ctx.Err() == nil { // otherwise the check's own error reports the cancellation
				results[n.i] = n.r
			}
		case <-ctx.Done():
			return results
		}
	}
	return results
}

// conclude records the outcome of a check that returned err.
func (r *Result) conclude(err error, took time.Duration) {
	r.Status, r.Problem, r.Millis = OK, "", took.Milliseconds()
	switch {
	case errors.Is(err, ErrAbsent):
		r.Status = None
	case err != nil:
		r.Status, r.Problem = Fail, HideHome(cli.ShownSetting(err.Error()))
	case len(r.Notes) > 0:
		r.Status = Warn
	}
}

// HideHome replaces the path of the home directory by ~, since it contains the user's name.
func HideHome(text string) string {
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
		} else { // another folder with the same prefix
			b.WriteString(home)
		}
		text = after
	}
}

// A Report has the results of handoff-relay in the order of the checks.
type Report struct {
	Stores  []Result `json:"stores"`
	Servers []Result `json:"servers"` // including URLs
}

// A Place is the value of a setting and the origin of that value.
type Place struct{ Value, Origin string }

// PlacesOf returns the distinct values of the named flag in all commands, except the defaults.
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
