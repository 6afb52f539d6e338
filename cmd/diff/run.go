package diff

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/output"
	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/diff"
	"github.com/eaapl/handoff/pkg/history"
)

// comparison is one run of diff.
type comparison struct {
	flags    *diffFlags
	options  diff.Options
	out      *output.File
	width    int
	colors   term.Palette
	stdin    io.Reader
	stderr   io.Writer
	progress *term.Progress

	several   bool // there was more than one pair to compare
	compared  int
	different int
	added     int
	removed   int
	unread    int
}

// git compares the two versions of a file that git names. Failures are only reported, so that git continues
// with the next file.
func (r *comparison) git(args []string) error {
	if len(args) == 1 {
		_, err := fmt.Fprintf(r.out, "%s: unmerged\n", term.Visible(args[0]))
		return err
	}
	f := gitArguments(args)
	if text := f.besides(); text != "" {
		if _, err := fmt.Fprintln(r.out, term.Visible(text)); err != nil {
			return err
		}
	}
	return r.run(func(p pairing) error {
		from, to := p.source(f.old, r.stdin, r.stderr), p.source(f.new, r.stdin, r.stderr)
		// The files have temporary names.
		if from != nil {
			from.Name = f.path
		}
		if to != nil {
			to.Name = f.newPath
		}
		p.sourcePair(input.SourceName(f.heading()), from, to)
		return nil
	})
}

// paths compares two arguments.
func (r *comparison) paths(from, to string) error {
	err := r.run(func(p pairing) error { return p.paths(from, to, r.stdin, r.stderr) })
	if err == nil && r.several && !r.flags.quiet {
		fmt.Fprintln(r.stderr, r.summary())
	}
	return err
}

// within compares two messages of one file: those with the numbers, from 1, or else the only two.
func (r *comparison) within(path string, numbers []int) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s: is a directory: name two, or one file with two messages", term.Visible(path))
	}
	return r.run(func(p pairing) error {
		s := p.source(path, r.stdin, r.stderr)
		if s == nil {
			return fmt.Errorf("%s: has no messages to compare", term.Visible(path))
		}
		last := 2
		if numbers != nil {
			last = max(numbers[0], numbers[1])
		}
		found := map[int]*side{}
		n := 0
		s.Documents(p.limits, p.count, func(d input.Document, _ bool) bool {
			n++
			if numbers == nil || slices.Contains(numbers, n) || d.Unreadable() {
				found[n] = &side{Document: d}
			}
			return n < last || numbers == nil && n == last
		})
		switch {
		case found[n] != nil && found[n].Unreadable():
			p.emit(pair{old: found[n]})
		case n < last:
			return fmt.Errorf("%s: has %s: to compare two, name another file", term.Visible(s.Name), term.Counted(n, "message"))
		case n > last:
			return fmt.Errorf("%s: has more than two messages: choose two with --messages, as in --messages 1,3", term.Visible(s.Name))
		case numbers == nil:
			p.emit(pair{old: found[1], new: found[2]})
		default:
			p.emit(pair{old: found[numbers[0]], new: found[numbers[1]]})
		}
		return nil
	})
}

// A difference is the result of comparing a pair.
type difference struct {
	pair
	text []byte // the output
	same bool
	errs []report.Unread // why there is no output
}

// run compares the pairs concurrently and prints the results in order.
func (r *comparison) run(pairs func(pairing) error) error {
	r.progress.Start(-1)
	defer r.progress.Stop()
	var trouble error
	err := input.Ordered(func(emit func(pair) bool) {
		trouble = pairs(pairing{Reader: r.flags.Reader, limits: r.flags.Limits, from: r.flags.From, byOrder: r.flags.byOrder, count: r.progress.Bytes, emit: emit})
	}, r.compare, func(v difference, more bool) error {
		if err := r.consume(v); err != nil || more {
			return err
		}
		return r.out.Flush()
	}, input.Bound[pair]{})
	if err != nil {
		return err
	}
	return trouble
}

// compare compares one pair. It may run concurrently.
func (r *comparison) compare(p pair) difference {
	v := difference{pair: p}
	for _, s := range []*side{p.old, p.new} {
		if s == nil {
			continue
		}
		if s.parse(r.flags.Limits, r.flags.From); s.Err != nil {
			v.errs = append(v.errs, s.unread(input.InFile(s.Source.Name, s.Err)))
		}
	}
	if v.errs != nil {
		return v
	}
	var e *diff.Edit
	if p.old != nil && p.new != nil {
		if v.errs = r.mismatches(p); v.errs != nil {
			return v
		}
		e = diff.Compare(p.old.doc, p.new.doc, r.options)
		v.same = e == nil
	}
	if r.flags.quiet {
		return v
	}
	var out bytes.Buffer
	if err := r.show(&out, p, e); err != nil {
		v.errs = []report.Unread{{Err: err}}
		if p.new != nil {
			v.errs[0] = p.new.unread(err)
		}
	}
	v.text = out.Bytes()
	return v
}

// mismatches returns an error for each side of a pair that is not in the required format.
func (r *comparison) mismatches(p pair) []report.Unread {
	if r.options.Format == "" {
		return nil
	}
	var errs []report.Unread
	for _, s := range []*side{p.old, p.new} {
		if _, err := history.FormatOf(s.doc.Root(), r.options.Format); err != nil {
			errs = append(errs, s.unread(fmt.Errorf("%s: %w", s.Origin(), err)))
		}
	}
	return errs
}

func (r *comparison) consume(v difference) error {
	r.several = r.several || v.several()
	for _, u := range v.errs {
		if u.Err == errSeveral {
			return u.Err
		}
		r.unread++
		if r.progress.Fail(u.Err) && r.flags.format == "json" && !r.flags.quiet {
			if err := report.WriteJSON(r.out, u); err != nil {
				return err
			}
		}
	}
	if v.errs != nil {
		return nil
	}
	r.progress.Message()
	switch {
	case v.old == nil:
		r.added++
	case v.new == nil:
		r.removed++
	default:
		r.compared++
	}
	if !v.same {
		r.different++
	}
	_, err := r.out.Write(v.text)
	return err
}

// summary returns a line about the run.
func (r *comparison) summary() string {
	text := fmt.Sprintf("%s compared: %d differ, %d added, %d removed", term.Counted(r.compared, "message"), r.different-r.added-r.removed, r.added, r.removed)
	if r.unread > 0 {
		text += fmt.Sprintf("; %d could not be compared", r.unread)
	}
	return text
}
