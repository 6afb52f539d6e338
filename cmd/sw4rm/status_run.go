package sw4rm

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/pkg/formats/sw4rm"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// statusRun is one run of sw4rm status.
type statusRun struct {
	out      *cli.Facts
	ledger   sw4rm.Ledger
	progress *term.Progress

	unread   int
	rejected bool
}

// oneHandoff names the handoff of events given as words.
const oneHandoff = "handoff"

// words applies events to one handoff. The handoff exists already unless the first event creates it.
func (r *statusRun) words(args []string) error {
	if args[0] != string(sw4rm.Submit) {
		args = append([]string{string(sw4rm.Submit)}, args...)
	}
	for i, word := range args {
		e := sw4rm.Event{Action: sw4rm.Action(word), RequestID: oneHandoff, FromAgent: "from", ToAgent: "to"}
		record := r.apply(e)
		record.RequestID = ""
		if i == 0 {
			continue // the next event implies it
		}
		if err := r.out.Print(record); err != nil {
			return err
		}
	}
	if len(args) == 1 {
		return r.out.Print(statusRecord{Event: sw4rm.Submit, Status: sw4rm.Pending})
	}
	return nil
}

// files applies the events in files in order.
func (r *statusRun) files(list []input.Source, limits jsonstream.Limits) (err error) {
	input.Watch(r.progress, list)
	for _, s := range list {
		s.Documents(limits, r.progress.Bytes, func(d input.Document, ready bool) bool {
			err = r.document(d, limits)
			if err == nil && !ready {
				err = r.out.Flush()
			}
			return err == nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (r *statusRun) document(d input.Document, limits jsonstream.Limits) error {
	r.progress.Message()
	event, err := readEvent(d, limits)
	if err != nil {
		r.unread++
		r.progress.Fail(err)
		return nil
	}
	record := r.apply(event)
	record.Source, record.Line = d.Source.Name, d.Raw.Start.Line
	return r.out.Print(record)
}

func readEvent(d input.Document, limits jsonstream.Limits) (sw4rm.Event, error) {
	if errors.Is(d.Err, fs.ErrNotExist) {
		return sw4rm.Event{}, fmt.Errorf("%s: neither a file nor an event: events are %s", d.Source.Name, strings.Join(actionNames(), ", "))
	}
	doc, err := d.Parse(limits)
	if err != nil {
		return sw4rm.Event{}, err
	}
	e, problems := sw4rm.ReadEvent(doc)
	return e, Problems(term.Visible(d.Source.Name), problems)
}

func (r *statusRun) apply(e sw4rm.Event) statusRecord {
	before, status, err := r.ledger.Apply(e)
	record := statusRecord{RequestID: e.RequestID, Event: e.Action, Before: before, Status: status}
	if rejected := (*sw4rm.TransitionError)(nil); errors.As(err, &rejected) {
		record.Rejected, record.Reason = rejected.Code, rejected.Reason
		r.rejected = true
	}
	return record
}
