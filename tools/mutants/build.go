package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

const (
	module   = "github.com/eaapl/handoff/"
	variable = "HANDOFF_MUTANT"
	// mostTries is the maximum number of builds: each leaves out the faults that did not compile.
	mostTries = 20
)

// switchSource is the package that selects the fault.
const switchSource = `package mutant

import (
	"os"
	"strconv"
)

var active = number()

func number() int {
	n, _ := strconv.Atoi(os.Getenv("` + variable + `"))
	return n
}

// On reports whether a fault is planted.
func On(n int) bool { return active == n }

// Pick returns the right value, or the wrong one of a fault.
func Pick[T any](n int, right, wrong T) T {
	if active == n {
		return wrong
	}
	return right
}

// Drop returns the rows without one.
func Drop[S ~[]E, E any](n, i int, rows S) S {
	if active == n {
		return append(rows[:i:i], rows[i+1:]...)
	}
	return rows
}

// Unset returns the map without a key.
func Unset[M ~map[K]V, K comparable, V any](n int, key K, m M) M {
	if active == n {
		delete(m, key)
	}
	return m
}
`

// serveSource is the program that answers cases.
const serveSource = `package main

import (
	"context"
	"fmt"
	"os"

	"` + module + `internal/vectors"
)

func main() {
	if err := vectors.Serve(context.Background(), os.Stdin, os.Stdout, "mutant"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
}
`

// coverage returns the positions of the code that the suite reaches, by the name of the file.
func (t *test) coverage() (map[string][]block, error) {
	var packages []string
	for _, room := range rooms {
		packages = append(packages, "./"+room)
	}
	profile := filepath.Join(t.dir, "cover")
	if err := t.goCommand("test", "-vet=off", "-run", "^TestOwnAnswers$", "-coverpkg", strings.Join(packages, ","), "-coverprofile", profile, "./internal/vectors"); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(profile)
	if err != nil {
		return nil, err
	}
	form := regexp.MustCompile(`^(.+):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`)
	reached := map[string][]block{}
	for line := range strings.Lines(string(text)) {
		m := form.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil || m[6] == "0" {
			continue
		}
		n := make([]int, 4)
		for i := range n {
			n[i], _ = strconv.Atoi(m[i+2]) // digits
		}
		file := strings.TrimPrefix(m[1], module)
		reached[file] = append(reached[file], block{place{n[0], n[1]}, place{n[2], n[3]}})
	}
	return reached, nil
}

// build builds the program with a number of faults that compile, and returns them.
func (t *test) build(faults []*fault, count int) ([]*fault, error) {
	var chosen []*fault
	rest := faults
	for range mostTries {
		for len(chosen) < count && len(rest) > 0 {
			if f := rest[0]; !slices.ContainsFunc(chosen, f.overlaps) {
				chosen = append(chosen, f)
			}
			rest = rest[1:]
		}
		bad, err := t.compile(chosen)
		if err != nil {
			return nil, err
		}
		if len(bad) == 0 {
			return chosen, nil
		}
		chosen = slices.DeleteFunc(chosen, func(f *fault) bool { return slices.Contains(bad, f) })
	}
	return nil, errors.New("too many faults do not compile")
}

// compile builds the program with all faults, and returns those that do not compile.
func (t *test) compile(faults []*fault) (bad []*fault, err error) {
	replace := map[string]string{}
	add := func(file, text string) error {
		replacement := filepath.Join(t.dir, strings.ReplaceAll(file, "/", "+"))
		replace[filepath.Join(t.root, file)] = replacement
		return os.WriteFile(replacement, []byte(text), 0o600)
	}
	byFile := map[string][]edit{}
	for i, f := range faults {
		byFile[f.file] = append(byFile[f.file], f.edits(i+1)...)
	}
	for file, edits := range byFile {
		text, err := os.ReadFile(filepath.Join(t.root, file))
		if err != nil {
			return nil, err
		}
		if err := add(file, planted(string(text), edits)); err != nil {
			return nil, err
		}
	}
	if err := errors.Join(add("internal/mutant/mutant.go", switchSource), add("internal/mutant/serve/main.go", serveSource)); err != nil {
		return nil, err
	}
	overlay := filepath.Join(t.dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(overlay, text, 0o600); err != nil {
		return nil, err
	}
	c := exec.Command("go", "build", "-gcflags=-e", "-overlay", overlay, "-o", filepath.Join(t.dir, "serve"), "./internal/mutant/serve")
	c.Dir = t.root
	out, err := c.CombinedOutput()
	if err == nil {
		return nil, nil
	}
	for _, m := range regexp.MustCompile(`(?m)^(\S+?\.go):(\d+):\d+: `).FindAllStringSubmatch(string(out), -1) {
		name := filepath.Base(strings.ReplaceAll(m[1], "+", "/"))
		line, _ := strconv.Atoi(m[2])
		for _, f := range faults {
			if filepath.Base(f.file) == name && f.at.line <= line && line <= f.end.line && !slices.Contains(bad, f) {
				bad = append(bad, f)
			}
		}
	}
	if len(bad) == 0 {
		return nil, fmt.Errorf("%w: %s", err, out)
	}
	return bad, nil
}

// planted returns the text of a file with edits.
func planted(text string, edits []edit) string {
	slices.SortStableFunc(edits, func(a, b edit) int { return cmp.Compare(a.start, b.start) })
	var out strings.Builder
	at := 0
	for _, e := range edits {
		out.WriteString(text[at:e.start] + e.text)
		at = e.end
	}
	out.WriteString(text[at:])
	clause := regexp.MustCompile(`(?m)^package \w+`).FindStringIndex(out.String())
	return out.String()[:clause[1]] + `; import "` + module + `internal/mutant"` + out.String()[clause[1]:]
}

func (t *test) goCommand(args ...string) error {
	c := exec.Command("go", args...)
	c.Dir = t.root
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w: %s", args[0], err, out)
	}
	return nil
}
