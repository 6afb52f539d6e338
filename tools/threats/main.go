// Command threats removes the guard of each promise in docs/threats.md, and runs the tests that the
// promise names: one of them must fail. scripts/threats.sh runs it in the root of the repository.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

func main() {
	pattern := ""
	if len(os.Args) > 1 {
		pattern = os.Args[1]
	}
	ok, err := run(pattern)
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "threats:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// run tries the promises that match a pattern, and reports whether each removal was detected.
func run(pattern string) (bool, error) {
	only, err := regexp.Compile(pattern)
	if err != nil {
		return false, err
	}
	promises, err := readPromises()
	if err != nil {
		return false, err
	}
	promises = slices.DeleteFunc(promises, func(p promise) bool { return !only.MatchString(p.text) })
	if len(promises) == 0 {
		return false, fmt.Errorf("no promise matches %q", pattern)
	}
	t := tester{}
	limit := os.Getenv("TIMEOUT")
	if limit == "" {
		limit = "180s"
	}
	if t.timeout, err = time.ParseDuration(limit); err != nil {
		return false, fmt.Errorf("TIMEOUT: %w", err)
	}
	if t.dir, err = os.MkdirTemp("", "threats-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(t.dir)
	counts := map[verdict]int{}
	for _, p := range promises {
		v, details := t.try(p)
		counts[v]++
		fmt.Printf("%-12s %s\n", v, shorten(p.text))
		if details != "" {
			fmt.Println(strings.TrimSpace(details))
		}
	}
	fmt.Printf("%d rows: %d detected, %d not detected, %d with a stale edit, %d without an edit, %d whose tests fail without an edit\n",
		len(promises), counts[detected], counts[notDetected], counts[stale], counts[noEdit], counts[broken])
	return counts[detected] == len(promises), nil
}

func shorten(text string) string {
	if len(text) > 100 {
		text = text[:strings.LastIndexByte(text[:100], ' ')] + " …"
	}
	return text
}

// A verdict is the result for a promise whose guard was removed.
type verdict string

const (
	detected    verdict = "detected"     // the tests failed with each edit
	notDetected verdict = "NOT DETECTED" // they passed with some edit
	stale       verdict = "STALE"        // an edit does not match this source, or does not compile
	noEdit      verdict = "NO EDIT"
	broken      verdict = "BROKEN" // the tests fail without an edit, or do not exist
)

// A tester runs tests with edits.
type tester struct {
	dir     string // the folder for the files of edits
	timeout time.Duration
}

// try tries the edits of a promise until one is not detected.
func (t tester) try(p promise) (v verdict, details string) {
	if len(p.edits) == 0 {
		return noEdit, ""
	}
	for _, e := range p.edits {
		overlay, err := t.overlay(e)
		if err != nil {
			return stale, err.Error()
		}
		v, details = notDetected, e.file+":\n"+e.old
		for _, pkg := range p.packages() {
			// After the first time, the results without the edit come from the test cache.
			if out, failed := t.runTests(pkg, p.tests[pkg], ""); failed || bytes.Contains(out, []byte("no tests to run")) {
				return broken, string(out)
			}
			out, failed := t.runTests(pkg, p.tests[pkg], overlay)
			if bytes.Contains(out, []byte("[build failed]")) || bytes.Contains(out, []byte("[setup failed]")) {
				return stale, string(out)
			}
			if failed {
				v, details = detected, ""
				break
			}
		}
		if v != detected {
			return v, details
		}
	}
	return v, details
}

// overlay writes the edited file and the overlay file for the go command, and returns the path of
// the latter.
func (t tester) overlay(e edit) (string, error) {
	text, err := e.edited()
	if err != nil {
		return "", err
	}
	file, err := filepath.Abs(e.file)
	if err != nil {
		return "", err
	}
	replacement := filepath.Join(t.dir, filepath.Base(file))
	instead, err := json.Marshal(map[string]map[string]string{"Replace": {file: replacement}})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(t.dir, "overlay.json")
	if err := os.WriteFile(replacement, []byte(text), 0o600); err != nil {
		return "", err
	}
	return overlay, os.WriteFile(overlay, instead, 0o600)
}

// packages returns the packages of the tests, those with fast tests first.
func (p promise) packages() []string {
	return slices.SortedFunc(maps.Keys(p.tests), func(a, b string) int {
		if depth := strings.Count(b, "/") - strings.Count(a, "/"); depth != 0 {
			return depth
		}
		return strings.Compare(b, a)
	})
}

// runTests runs tests of a package, with an overlay if one is given, and reports whether one failed.
func (t tester) runTests(pkg string, names []string, overlay string) (out []byte, failed bool) {
	var own, ofScripts []string
	for _, name := range names {
		if s, ok := strings.CutPrefix(name, scripts); ok {
			ofScripts = append(ofScripts, s)
		} else {
			own = append(own, name)
		}
	}
	for _, pattern := range []string{wholeNames(own), "^TestScripts$/" + wholeNames(ofScripts)} {
		if strings.HasSuffix(pattern, "^()$") {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), t.timeout+time.Minute)
		// The working directory is the package's, since some packages are in modules of their own.
		c := exec.CommandContext(ctx, "go", "test", "-vet=off", "-timeout", t.timeout.String(), "-run", pattern, ".")
		c.Dir = pkg
		if overlay != "" { // in the environment, so that programs built by a test have the edit too
			c.Env = append(os.Environ(), "GOFLAGS="+strings.TrimSpace(os.Getenv("GOFLAGS")+" '-overlay="+overlay+"'"))
		}
		c.WaitDelay = time.Second
		text, err := c.CombinedOutput()
		cancel()
		out = append(out, text...)
		if err != nil {
			out, failed = fmt.Appendln(out, err), true // it may have been killed without any output
		}
	}
	return out, failed
}

func wholeNames(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }
