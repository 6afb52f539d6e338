package live

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/eaapl/handoff/relay/audit"
)

// Limits for a page of tasks. A log may have any number of records, most of them of one task.
const (
	pageSize   = 50      // tasks
	chunk      = 1000    // records per query
	maxRead    = 100_000 // matching records
	maxScanned = 250_000 // scanned records, if no index can be used
	maxSummary = 5_000   // records for the summaries of a page
)

// freshness is the interval of automatic reload.
const freshness = 10 * time.Second

// A foundTask is a task with its newest matching record.
type foundTask struct {
	Record  audit.Stored
	Summary *summary // nil for records without a task
}

// A summary summarizes the newest records of a task.
type summary struct {
	Handoffs, Rejected int
	First              time.Time // the oldest one read
	Newest             audit.Stored
	More               bool // older records were not read
}

// results are the tasks of a page.
type results struct {
	question
	Found []foundTask
	// Next is the address of older results, "" if there are none.
	Next string
	// Reached is the oldest record searched, if not the first.
	Reached int64
	Number  int64 // record with the typed number, -1 for none
}

// searched shows tasks, by their newest records.
func (h *Handler) searched(ctx context.Context, r *http.Request) (*answer, error) {
	page := results{question: questionOf(r), Number: -1}
	f := frame{Title: "Tasks", Section: "tasks", Again: page.address()}
	err := h.view(ctx, func(r audit.Reader, m moment) error {
		f.Of = m
		return page.search(r, m, h.options.Now())
	})
	if err != nil {
		return nil, err
	}
	other := page.question
	other.Fresh = !page.Fresh
	if page.Fresh {
		f.Steady = other.address()
	} else if page.Before == 0 {
		f.Fresh = other.address()
	}
	f.Failed = len(page.Wrong) > 0
	f.Content = &page
	a, err := h.page("tasks", f)
	if err != nil {
		return nil, err
	}
	if page.Fresh {
		a.refresh = freshness
	}
	if f.Failed {
		a.status = http.StatusUnprocessableEntity
	}
	return a, nil
}

// search reads the tasks of a page.
func (p *results) search(r audit.Reader, m moment, now time.Time) error {
	filter, err := p.filter(r, m, now)
	if err != nil || len(p.Wrong) > 0 {
		return err
	}
	if err := p.number(r); err != nil {
		return err
	}
	first := filter.From
	if !indexed(filter) {
		filter.From = max(first, filter.Before-maxScanned)
	}
	end, err := p.collect(r, filter)
	if err != nil {
		return err
	}
	if end < 0 && filter.From > first {
		end = filter.From
		p.Reached = end
	}
	if end > 0 {
		next := p.question
		next.Before, next.Fresh = end, false
		p.Next = next.address()
	}
	return p.summarize(r, m)
}

// number looks for the record whose number was typed as an id.
func (p *results) number(r audit.Reader) error {
	var n int64
	if _, err := fmt.Sscanf(p.ID, "%d", &n); err != nil || n < 0 || fmt.Sprint(n) != p.ID {
		return nil
	}
	for s, err := range r.Records(audit.Filter{From: n, Before: n + 1}) {
		if err != nil {
			return err
		}
		p.Number = s.Sequence
	}
	return nil
}

// indexed reports whether the store uses an index for a filter, and so reads few other records.
func indexed(f audit.Filter) bool {
	rare := len(f.Events) > 0
	for _, e := range f.Events {
		rare = rare && e != audit.Dispatched && e != audit.Accepted && e != audit.HandedOver && e != audit.Completed
	}
	return f.Prefix != "" || rare && f.Agent == "" && f.Hash == ""
}

// collect finds tasks, newest first, until there are enough or too many records were read. It returns the
// record number before which the next page begins, -1 if there is none.
func (p *results) collect(r audit.Reader, filter audit.Filter) (end int64, err error) {
	known := map[string]bool{}
	filter.Limit = chunk
	for read := 0; read < maxRead; read += chunk {
		list, err := audit.List(r, filter)
		if err != nil {
			return 0, err
		}
		for _, s := range list {
			if known[s.TaskID] && s.TaskID != "" {
				continue
			}
			known[s.TaskID] = true
			earlier, err := p.isEarlier(r, filter, s.TaskID)
			if err != nil {
				return 0, err
			}
			if earlier {
				continue
			}
			if len(p.Found) == pageSize {
				return s.Sequence + 1, nil
			}
			p.Found = append(p.Found, foundTask{Record: s})
		}
		if len(list) < chunk {
			return -1, nil
		}
		filter.Before = list[len(list)-1].Sequence
		if filter.Before == 0 {
			return -1, nil
		}
	}
	return filter.Before, nil
}

// isEarlier reports whether an earlier page contains a task.
func (p *results) isEarlier(r audit.Reader, filter audit.Filter, task string) (bool, error) {
	if p.Before == 0 || task == "" {
		return false, nil
	}
	filter.Tasks, filter.From, filter.Before, filter.Limit, filter.Newest = []string{task}, p.Before, 0, 1, false
	list, err := audit.List(r, filter)
	return len(list) > 0, err
}

// summarize adds the summaries of the tasks.
func (p *results) summarize(r audit.Reader, m moment) error {
	var ids []string
	for _, f := range p.Found {
		if f.Record.TaskID != "" {
			ids = append(ids, f.Record.TaskID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	type counted struct {
		summary
		handoffs map[string]bool
	}
	tasks := map[string]*counted{}
	read := 0
	for s, err := range r.Records(audit.Filter{Tasks: ids, Before: m.Size, Newest: true, Limit: maxSummary}) {
		if err != nil {
			return err
		}
		read++
		c := tasks[s.TaskID]
		if c == nil {
			c = &counted{summary{Newest: s}, map[string]bool{}}
			tasks[s.TaskID] = c
		}
		c.First = s.RecordedAt
		c.handoffs[s.HandoffID] = true
		if s.Event == audit.Rejected {
			c.Rejected++
		}
	}
	for i := range p.Found {
		c := tasks[p.Found[i].Record.TaskID]
		if c == nil {
			if p.Found[i].Record.TaskID != "" { // its records are older than those read
				p.Found[i].Summary = &summary{Newest: p.Found[i].Record, First: p.Found[i].Record.RecordedAt, Handoffs: 1, More: true}
			}
			continue
		}
		c.Handoffs, c.More = len(c.handoffs), read == maxSummary
		p.Found[i].Summary = &c.summary
	}
	return nil
}
