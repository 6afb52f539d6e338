package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A promise is a row of a table of docs/threats.md.
type promise struct {
	text  string
	tests map[string][]string // by package, such as ./pkg/sign; scripts are subtests of ./cmd
	edits []edit
}

var (
	row    = regexp.MustCompile(`^\| (.+) \| (.+) \|$`)
	named  = regexp.MustCompile("((?:`(?:Test|Fuzz)\\w+`(?:, | and )?)+) in ((?:cmd|relay|pkg|internal|transports)(?:/[a-z0-9]+)*)")
	test   = regexp.MustCompile(`(?:Test|Fuzz)\w+`)
	script = regexp.MustCompile("`([a-z0-9_-]+)\\.txtar`")
)

// readPromises reads the promises of docs/threats.md, in the order of the page, with their edits
// from tools/threats/*.edits.
func readPromises() ([]promise, error) {
	page, err := os.ReadFile("docs/threats.md")
	if err != nil {
		return nil, err
	}
	list := promisesOf(string(page))
	edits, err := readEdits()
	if err != nil {
		return nil, err
	}
	for _, e := range edits {
		var matched []int
		for i, p := range list {
			if strings.HasPrefix(p.text, e.promise) {
				matched = append(matched, i)
			}
		}
		if len(matched) != 1 {
			return nil, fmt.Errorf("tools/threats: %d promises begin with %q: an edit needs exactly one", len(matched), e.promise)
		}
		p := &list[matched[0]]
		p.edits = append(p.edits, e)
	}
	return list, nil
}

func promisesOf(page string) (list []promise) {
	_, page, _ = strings.Cut(page, "\n## ") // the tables before it are about other things
	lines := strings.Split(page, "\n")
	for i, line := range lines {
		m := row.FindStringSubmatch(line)
		if m == nil || i+1 < len(lines) && strings.HasPrefix(lines[i+1], "|---") {
			continue
		}
		p := promise{text: m[1], tests: map[string][]string{}}
		for _, n := range named.FindAllStringSubmatch(m[2], -1) {
			p.tests["./"+n[2]] = append(p.tests["./"+n[2]], test.FindAllString(n[1], -1)...)
		}
		for _, s := range script.FindAllStringSubmatch(m[2], -1) {
			p.tests["./cmd"] = append(p.tests["./cmd"], scripts+s[1])
		}
		list = append(list, p)
	}
	return list
}

// scripts is the prefix of the names of tests that are scripts.
const scripts = "TestScripts/"

// An edit removes a guard.
type edit struct {
	promise        string // prefix of the promise
	file, old, new string
}

// form matches an edit: the old text and the new one are between lines of <<<, === and >>>.
var form = regexp.MustCompile(`(?s)^\s*promise: ([^\n]+)\nfile: ([^\n]+)\n<<<\n(.*)\n===(.*)$`)

func readEdits() (list []edit, err error) {
	files, err := filepath.Glob("tools/threats/*.edits")
	if err != nil || len(files) == 0 {
		return nil, errors.Join(err, errors.New("tools/threats: there are no edits"))
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
				return nil, fmt.Errorf("%s: invalid edit:\n%s", file, part)
			}
			list = append(list, edit{promise: m[1], file: m[2], old: m[3], new: strings.TrimPrefix(m[4], "\n")})
		}
	}
	return list, nil
}

// edited returns the text of the file after the edit. The old text must occur once.
func (e edit) edited() (string, error) {
	text, err := os.ReadFile(e.file)
	if err != nil {
		return "", err
	}
	if n := strings.Count(string(text), e.old); n != 1 {
		return "", fmt.Errorf("%s has the old text %d times, not once:\n%s", e.file, n, e.old)
	}
	return strings.Replace(string(text), e.old, e.new, 1), nil
}
