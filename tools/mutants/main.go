// Command mutants measures the conformance suite: it plants faults in the packages that answer its cases, one at a
// time, and runs the suite on each. scripts/mutants.sh runs it in the root of the repository.
//
// All faults are compiled into one program, each behind a number: a program per fault would take hours. The judge has
// no fault. A fault that changes no answer to the suite does not count if it changes none either to the variations of
// its cases: then it concerns other commands, the words of an answer, or nothing.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/child"
	run "github.com/eaapl/handoff/internal/vectors"
	"github.com/eaapl/handoff/vectors"
)

func main() {
	t := &test{}
	flag.IntVar(&t.count, "n", 200, "`NUMBER` of faults that change an answer")
	flag.Uint64Var(&t.seed, "seed", 44, "the seed that selects them")
	flag.Float64Var(&t.least, "least", 0.9, "the smallest share of detected faults")
	flag.IntVar(&t.perCase, "variations", 2, "`NUMBER` of variations of each case")
	flag.IntVar(&t.jobs, "jobs", 2, "faults at the same time")
	flag.BoolVar(&t.all, "v", false, "print all faults")
	flag.Parse()
	ok, err := t.run()
	switch {
	case err != nil:
		fmt.Fprintln(os.Stderr, "mutants:", err)
		os.Exit(2)
	case !ok:
		os.Exit(1)
	}
}

// rooms are the packages that get faults.
var rooms = []string{
	"pkg/jsonstream", "pkg/message", "pkg/conversation", "pkg/provider", "pkg/repair", "pkg/sign", "pkg/validate", "pkg/chain", "pkg/convert", "pkg/session",
	"pkg/merkle", "pkg/formats/claudecode", "pkg/formats/codex", "pkg/internal/chat", "internal/agentcard",
}

// A test is one run.
type test struct {
	count, jobs, perCase int
	seed                 uint64
	least                float64
	all                  bool

	root, dir  string
	children   child.Set
	cases      []vectors.Case // of the suite
	variations []vectors.Case
}

// planting is the number of faults in one program, of which some have no effect.
const planting = 2

func (t *test) run() (bool, error) {
	var err error
	if t.root, err = os.Getwd(); err != nil {
		return false, err
	}
	if t.dir, err = os.MkdirTemp("", "mutants-"); err != nil {
		return false, err
	}
	defer os.RemoveAll(t.dir)
	groups, err := vectors.Read(vectors.Files())
	if err != nil {
		return false, err
	}
	for _, g := range groups {
		t.cases = append(t.cases, g.Cases...)
	}
	reached, err := t.coverage()
	if err != nil {
		return false, err
	}
	faults, err := find(t.root, reached)
	if err != nil {
		return false, err
	}
	random := rand.New(rand.NewPCG(t.seed, 0))
	random.Shuffle(len(faults), func(i, j int) { faults[i], faults[j] = faults[j], faults[i] })
	fmt.Printf("%d places for faults\n", len(faults))
	began := time.Now()
	if faults, err = t.build(faults, planting*t.count); err != nil {
		return false, err
	}
	fmt.Printf("%d faults in one program, built in %s\n", len(faults), time.Since(began).Round(time.Second))
	began = time.Now()
	if err := t.expect(vary(groups, t.perCase, t.seed)); err != nil {
		return false, err
	}
	if id, err := t.ask(0, t.cases); err != nil || id != "" {
		return false, fmt.Errorf("without a fault, %s fails (%v)", id, err)
	}
	fmt.Printf("%d cases, %d variations\n", len(t.cases), len(t.variations))
	detected, missed, without := t.askAll(faults)
	share := float64(detected) / float64(detected+missed)
	fmt.Printf("%d of %d faults that change an answer make a case fail (%.1f %%); %d faults change none; %s\n",
		detected, detected+missed, 100*share, without, time.Since(began).Round(time.Second))
	return share >= t.least, nil
}

// askAll counts the faults by their effect, in order, until enough change an answer.
func (t *test) askAll(faults []*fault) (detected, missed, without int) {
	type outcome struct{ suite, variation string }
	outcomes := make([]chan outcome, len(faults))
	for i := range outcomes {
		outcomes[i] = make(chan outcome, 1)
	}
	next := make(chan int)
	var running sync.WaitGroup
	for range t.jobs {
		running.Go(func() {
			for i := range next {
				var o outcome
				if o.suite = t.failure(i+1, t.cases); o.suite == "" {
					o.variation = t.failure(i+1, t.variations)
				}
				outcomes[i] <- o
			}
		})
	}
	done := make(chan struct{})
	go func() {
		defer close(next)
		for i := range faults {
			select {
			case next <- i:
			case <-done:
				return
			}
		}
	}()
	for i, f := range faults {
		if detected+missed == t.count {
			break
		}
		switch o := <-outcomes[i]; {
		case o.suite != "":
			detected++
			t.print("detected", f, o.suite)
		case o.variation != "":
			missed++
			fmt.Printf("%-12s %s: %s\n", "NOT DETECTED", f, o.variation)
		default:
			without++
			t.print("no effect", f, "")
		}
	}
	close(done)
	running.Wait()
	return detected, missed, without
}

func (t *test) print(word string, f *fault, id string) {
	if t.all {
		fmt.Printf("%-12s %s: %s\n", word, f, id)
	}
}

// failure returns the first case that fails with a fault, or the error of a program that does not answer;
// "" if none fails.
func (t *test) failure(number int, cases []vectors.Case) string {
	id, err := t.ask(number, cases)
	if id == "" && err != nil {
		return err.Error()
	}
	return id
}

// expect sets the variations: what the program without a fault answers is right. It leaves out those whose answer
// the judge rejects, such as a broken history that stays broken when it is converted.
func (t *test) expect(variations []vectors.Case) error {
	var answered []vectors.Case
	err := t.each(0, variations, func(c vectors.Case, r run.Result) bool {
		if r.Answer.Verdict != "" {
			c.Expected = run.Expect(c, r.Answer)
			answered = append(answered, c)
		}
		return true
	})
	if err != nil {
		return err
	}
	return t.each(0, answered, func(c vectors.Case, r run.Result) bool {
		if r.Outcome == run.Passed {
			t.variations = append(t.variations, c)
		}
		return true
	})
}

// ask returns the first case that fails with the fault of a number, with its problem; "" if none does. The error is about a
// program that does not answer.
func (t *test) ask(number int, cases []vectors.Case) (id string, err error) {
	err = t.each(number, cases, func(c vectors.Case, r run.Result) bool {
		if r.Outcome != run.Passed {
			id = c.ID + ": " + r.Problem
		}
		return id == ""
	})
	return id, err
}

// wholeRun limits a run of cases with a fault, and oneCase the answer to one.
const (
	wholeRun = 5 * time.Minute
	oneCase  = 10 * time.Second
)

// each asks the program with a fault about cases, until yield returns false.
func (t *test) each(number int, cases []vectors.Case, yield func(vectors.Case, run.Result) bool) error {
	ctx, cancel := context.WithTimeout(context.Background(), wholeRun)
	defer cancel()
	r := run.Runner{Children: &t.children, Timeout: oneCase, Program: child.Options{
		Args: []string{filepath.Join(t.dir, "serve")}, Env: append(os.Environ(), fmt.Sprintf("%s=%d", variable, number)), Stderr: func(string) {},
	}}
	defer r.Close()
	for _, c := range cases {
		result, err := r.Ask(ctx, "", c)
		if err != nil {
			return err
		}
		if !yield(c, result) {
			return nil
		}
	}
	return nil
}
