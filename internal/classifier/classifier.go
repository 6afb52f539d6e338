// Package classifier scores texts with an external program.
//
// The program reads one JSON object {"id","text"} per line from its standard input and writes one
// {"id","score","label"} per line to its standard output, in any order.
package classifier

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/pkg/safety"
)

// A Classifier is a running program. After it fails, every text gets an [*Error]. It is safe for
// concurrent use.
type Classifier struct {
	process *child.Process
	kill    context.CancelCauseFunc // ends the process
	timeout time.Duration

	writing sync.Mutex // held while a line is written
	encoder *json.Encoder

	mu      sync.Mutex
	waiting map[string]chan<- opinion
	last    int   // the last id assigned
	over    bool  // the program's output has ended
	failed  error // the error that made it unusable
	done    chan struct{}
}

// An opinion is a line of the classifier's output.
type opinion struct {
	ID    *string  `json:"id"`
	Score *float64 `json:"score"` // probability, from 0 to 1, that the text tries to steer its reader
	Label string   `json:"label"` // in the classifier's own words
}

// An Error reports that the classifier failed and will judge no more texts.
type Error struct{ problem string }

func (e *Error) Error() string { return "the classifier " + e.problem }

// errUnanswered reports that the output ended too early.
var errUnanswered = &Error{"ended before it answered all texts"}

// Start starts a classifier as a process of the set. timeout is the maximum time to answer one
// text, and to exit. The caller closes it.
func Start(children *child.Set, options child.Options, timeout time.Duration) (*Classifier, error) {
	ctx, kill := context.WithCancelCause(context.Background())
	p, err := children.Start(ctx, options)
	if err != nil {
		kill(nil)
		return nil, &Error{"cannot be started: " + err.Error()}
	}
	c := &Classifier{
		process: p,
		kill:    kill,
		timeout: timeout,
		encoder: json.NewEncoder(p),
		waiting: map[string]chan<- opinion{},
		done:    make(chan struct{}),
	}
	c.encoder.SetEscapeHTML(false)
	go c.read()
	return c, nil
}

// maxAnswer is the maximum length of an output line, in bytes.
const maxAnswer = 64 << 10

// read passes the answers to the waiting callers until the output ends.
func (c *Classifier) read() {
	defer close(c.done)
	lines := bufio.NewScanner(c.process)
	lines.Buffer(nil, maxAnswer)
	for lines.Scan() {
		if err := c.answer(lines.Bytes()); err != nil {
			c.fail(err)
			return
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		c.fail(&Error{fmt.Sprintf("wrote a line that is not an answer: longer than %d bytes", maxAnswer)})
		return
	case err != nil:
		c.fail(&Error{"cannot be read: " + err.Error()})
		return
	}
	c.mu.Lock()
	c.over = true
	unanswered := len(c.waiting) > 0
	c.mu.Unlock()
	if unanswered {
		c.fail(errUnanswered)
	}
}

func (c *Classifier) answer(line []byte) error {
	var o opinion
	if err := json.Unmarshal(line, &o); err != nil || o.ID == nil || o.Score == nil {
		return &Error{fmt.Sprintf("wrote a line that is not an answer: %s; expected {\"id\": string, \"score\": 0 to 1, \"label\": string}", strconv.Quote(firstBytes(line, 60)))}
	}
	if !(*o.Score >= 0 && *o.Score <= 1) {
		return &Error{fmt.Sprintf("gave a score of %v: a score lies between 0 and 1", *o.Score)}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	waiting, ok := c.waiting[*o.ID]
	if !ok {
		return &Error{fmt.Sprintf("answered %q, which was not sent, or was answered before", firstBytes([]byte(*o.ID), 40))}
	}
	delete(c.waiting, *o.ID)
	waiting <- o
	return nil
}

func firstBytes(text []byte, n int) string {
	return strings.ToValidUTF8(string(text[:min(len(text), n)]), "")
}

// fail ends the classifier and all its child processes, so that no caller waits for them.
func (c *Classifier) fail(err error) {
	c.mu.Lock()
	if c.failed == nil {
		c.failed = err
	}
	for id, waiting := range c.waiting {
		close(waiting)
		delete(c.waiting, id)
	}
	c.mu.Unlock()
	c.kill(err)
}

// ask returns the classifier's opinion of a text.
func (c *Classifier) ask(ctx context.Context, text string) (opinion, error) {
	answer := make(chan opinion, 1)
	c.mu.Lock()
	if c.failed != nil {
		c.mu.Unlock()
		return opinion{}, c.failed
	}
	c.last++
	id := strconv.Itoa(c.last)
	c.waiting[id] = answer
	over := c.over
	c.mu.Unlock()
	if over {
		c.fail(errUnanswered)
		return opinion{}, errUnanswered
	}

	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, &Error{fmt.Sprintf("has not answered for %s", c.timeout)})
	defer cancel()
	// A classifier that does not read must not block the run.
	stop := context.AfterFunc(ctx, func() { c.fail(context.Cause(ctx)) })
	defer stop()
	c.writing.Lock()
	err := c.encoder.Encode(struct {
		ID   string `json:"id"`
		Text string `json:"text"`
	}{id, text})
	c.writing.Unlock()
	if err != nil {
		// If the process has ended, read has a better error.
		select {
		case <-c.done:
		case <-ctx.Done():
		}
	}
	if o, ok := <-answer; ok {
		return o, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return opinion{}, c.failed
}

// Close lets the process finish or, if err is not nil, ends it at once. It returns err or the error
// of the process.
func (c *Classifier) Close(err error) error {
	if err != nil {
		c.fail(err)
	}
	c.process.CloseInput() // fails if the process has ended
	late := time.AfterFunc(c.timeout, func() {
		c.fail(&Error{fmt.Sprintf("has not ended %s after the end of its input", c.timeout)})
	})
	defer late.Stop()
	<-c.done
	ended := c.process.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.failed == nil && ended != nil {
		return &Error{fmt.Sprintf("failed: %v", ended)}
	}
	return c.failed
}

// scanner is a scanner that also consults a classifier.
type scanner struct {
	safety.Scanner
	classifier *Classifier
	from       float64
}

// Scanner returns a scanner that adds the classifier's findings to the findings of s. It consults
// the classifier on texts with a score of at least from, except single short words; 0 means all
// texts.
func (c *Classifier) Scanner(s safety.Scanner, from float64) safety.Scanner {
	return scanner{s, c, from}
}

// RuleID is the rule of the classifier's findings, with the category [Category].
const (
	RuleID                   = "safety/classifier"
	Category safety.Category = "classifier"
)

// minScore is the minimum score of a finding.
const minScore = 0.1

// Scan implements [safety.Scanner].
func (s scanner) Scan(ctx context.Context, field safety.Field, text string) (safety.Verdict, error) {
	v, err := s.Scanner.Scan(ctx, field, text)
	if err != nil || v.Score < s.from || isWord(text) {
		return v, err
	}
	o, err := s.classifier.ask(ctx, text)
	if err != nil || *o.Score < minScore {
		return v, err
	}
	label := o.Label
	if label == "" {
		label = "no label"
	}
	v.Findings = append(v.Findings, safety.Finding{
		Rule: RuleID, Category: Category, Score: *o.Score, Length: len(text),
		Message: fmt.Sprintf("the classifier reports %s, with a score of %.2f", firstBytes([]byte(label), 100), *o.Score),
	})
	v.Score = safety.Weigh(v.Findings)
	v.Flagged = v.Score >= v.Threshold
	return v, nil
}

// Rules implements [safety.Scanner].
func (s scanner) Rules() []safety.Rule {
	return append(s.Scanner.Rules(), safety.Rule{
		ID: RuleID, Category: Category, Weight: 1,
		Summary: "is flagged by the external classifier",
		Why:     "An external classifier can recognize attacks that no rule describes.",
	})
}

// isWord reports whether a text is a single short word, such as an id, a time or a member's name.
// Most texts are, and they contain too little to be judged.
func isWord(text string) bool {
	return len(text) <= 64 && strings.IndexFunc(text, func(r rune) bool { return r <= ' ' || r > '~' }) < 0
}
