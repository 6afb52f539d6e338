// Command threats takes the guard of each promise in docs/threats.md away, and runs the tests that the
// promise names: one of them has to fail. scripts/threats.sh runs it in a copy of the commit, whose files it
// changes and puts back.
package main

import (
	"bytes"
	"context"
	"errors"
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

// run tries the promises that match a pattern, and reports whether each was noticed.
func run(pattern string) (bool, error) {
	only, err := regexp.Compile(pattern)
	if err != nil {
		return false, err
	}
	limit := os.Getenv("TIMEOUT")
	if limit == "" {
		limit = "180s"
	}
	timeout, err := time.ParseDuration(limit)
	if err != nil {
		return false, fmt.Errorf("TIMEOUT: %w", err)
	}
	page, err := os.ReadFile("docs/threats.md")
	if err != nil {
		return false, err
	}
	promises := promisesOf(string(page))
	edits, err := readEdits()
	if err != nil {
		return false, err
	}
	counts := map[string]int{}
	for _, p := range promises {
		if !only.MatchString(p.text) {
			continue
		}
		verdict := "no edit"
		for _, e := range edits {
			if strings.HasPrefix(p.text, e.promise) {
				if verdict = p.try(*e, timeout); verdict != noticed {
					break
				}
			}
		}
		counts[strings.SplitN(verdict, ":", 2)[0]]++
		fmt.Printf("%-10s %s\n", verdict, shorten(p.text))
	}
	for _, e := range edits {
		if !slices.ContainsFunc(promises, func(p promise) bool { return strings.HasPrefix(p.text, e.promise) }) {
			return false, fmt.Errorf("no promise begins with %q", e.promise)
		}
	}
	fmt.Println(counts)
	return len(counts) == 1 && counts[noticed] > 0, nil
}

func shorten(text string) string {
	if len(text) > 100 {
		text = text[:strings.LastIndexByte(text[:100], ' ')] + " …"
	}
	return text
}

// A promise is a row of a table of docs/threats.md.
type promise struct {
	text  string
	tests map[string][]string // by package; those of ./cmd that are scripts are subtests
}

var (
	row    = regexp.MustCompile(`(?m)^\| (.+) \| (.+) \|$`)
	named  = regexp.MustCompile("((?:`(?:Test|Fuzz)\\w+`(?:, | and )?)+) in ((?:cmd|pkg)[a-z/0-9]*)")
	test   = regexp.MustCompile(`(?:Test|Fuzz)\w+`)
	script = regexp.MustCompile("`([a-z0-9_-]+)\\.txtar`")
)

func promisesOf(page string) (list []promise) {
	_, page, _ = strings.Cut(page, "\n## ") // before it is another table
	for _, m := range row.FindAllStringSubmatch(page, -1) {
		if m[1] == "promise" {
			continue
		}
		p := promise{text: m[1], tests: map[string][]string{}}
		for _, n := range named.FindAllStringSubmatch(m[2], -1) {
			p.tests["./"+n[2]] = append(p.tests["./"+n[2]], test.FindAllString(n[1], -1)...)
		}
		for _, s := range script.FindAllStringSubmatch(m[2], -1) {
			p.tests["./cmd"] = append(p.tests["./cmd"], "TestScripts/"+s[1])
		}
		list = append(list, p)
	}
	return list
}

// An edit takes a guard away.
type edit struct {
	promise        string // how the promise begins
	file, old, new string
}

// readEdits reads scripts/threats/*.edits: for each edit a line "promise: TEXT", a line "file: PATH", the old
// text and the new one, between lines of <<<, === and >>>.
func readEdits() (list []*edit, err error) {
	files, err := filepath.Glob("scripts/threats/*.edits")
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New("there are no edits"))
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, part := range strings.Split(string(text), "\n>>>\n") {
			if strings.TrimSpace(part) == "" {
				continue
			}
			m := form.FindStringSubmatch(part)
			if m == nil {
				return nil, fmt.Errorf("%s: not an edit:\n%s", file, part)
			}
			list = append(list, &edit{promise: m[1], file: m[2], old: m[3], new: strings.TrimPrefix(m[4], "\n")})
		}
	}
	return list, nil
}

var form = regexp.MustCompile(`(?s)^\s*promise: ([^\n]+)\nfile: ([^\n]+)\n<<<\n(.*)\n===(.*)$`)

// noticed is the verdict that is wanted.
const noticed = "noticed"

// try makes an edit, runs the tests of the promise, and puts back what was there.
func (p promise) try(e edit, timeout time.Duration) (verdict string) {
	before, err := os.ReadFile(e.file)
	if err != nil {
		return "stale: " + err.Error()
	}
	if n := strings.Count(string(before), e.old); n != 1 {
		return fmt.Sprintf("stale: %s has the old text %d times", e.file, n)
	}
	verdict = "UNNOTICED"
	for _, pkg := range p.packages() {
		names := p.tests[pkg]
		if out, failed := runTests(pkg, names, timeout); failed || bytes.Contains(out, []byte("no tests to run")) {
			return "broken: without the edit, in " + pkg + "\n" + string(out)
		}
		if err := os.WriteFile(e.file, []byte(strings.Replace(string(before), e.old, e.new, 1)), 0o600); err != nil {
			return "stale: " + err.Error()
		}
		out, failed := runTests(pkg, names, timeout)
		if err := os.WriteFile(e.file, before, 0o600); err != nil {
			return "stale: " + err.Error()
		}
		switch {
		case bytes.Contains(out, []byte("[build failed]")), bytes.Contains(out, []byte("[setup failed]")):
			return "stale: it does not compile\n" + string(out)
		case failed:
			return noticed
		}
	}
	return verdict
}

// packages returns the packages that the tests are in: those whose tests are quick first.
func (p promise) packages() []string {
	return slices.SortedFunc(maps.Keys(p.tests), func(a, b string) int {
		if depth := strings.Count(b, "/") - strings.Count(a, "/"); depth != 0 {
			return depth
		}
		return strings.Compare(b, a)
	})
}

// runTests runs tests of a package, and reports whether one failed.
func runTests(pkg string, names []string, timeout time.Duration) (out []byte, failed bool) {
	var own, scripts []string
	for _, name := range names {
		if s, ok := strings.CutPrefix(name, "TestScripts/"); ok {
			scripts = append(scripts, s)
		} else {
			own = append(own, name)
		}
	}
	for _, pattern := range []string{wholeNames(own), "^TestScripts$/" + wholeNames(scripts)} {
		if strings.HasSuffix(pattern, "^()$") {
			continue
		}
		ctx, cancel := context.WithTimeout(context.Background(), timeout+time.Minute)
		c := exec.CommandContext(ctx, "go", "test", "-vet=off", "-timeout", timeout.String(), "-run", pattern, pkg)
		c.WaitDelay = time.Second
		text, err := c.CombinedOutput()
		cancel()
		out, failed = append(out, text...), failed || err != nil
	}
	return out, failed
}

func wholeNames(names []string) string { return "^(" + strings.Join(names, "|") + ")$" }
