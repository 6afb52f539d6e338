package live

import (
	"context"
	"net/http"
	"strconv"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/relay/audit"
)

// A recordPage shows a record.
type recordPage struct {
	audit.Stored
	Time  string
	Facts []viewer.Fact
}

// record shows a record.
func (h *Handler) record(ctx context.Context, r *http.Request) (*answer, error) {
	n, err := strconv.ParseInt(r.PathValue("record"), 10, 64)
	if err != nil || n < 0 {
		return nil, missing("A record is identified by its number.")
	}
	p := recordPage{Stored: audit.Stored{Record: audit.Record{Sequence: -1}}}
	f := frame{Title: "Record " + grouped(n), Section: "tasks", Again: r.URL.Path}
	err = h.view(ctx, func(r audit.Reader, m moment) error {
		f.Of = m
		s, found, err := recordAt(r, n)
		if err != nil || !found {
			return err
		}
		p.Stored, p.Time = s, audit.FormatTime(s.RecordedAt)
		p.Facts, err = h.options.Records(r).Facts(&s)
		return err
	})
	switch {
	case err != nil:
		return nil, err
	case p.Sequence < 0:
		return nil, missing("The audit log has no record with this number, or it was removed after its retention period.")
	}
	f.Content = p
	return h.page("record", f)
}

// recordAt returns the record with a number.
func recordAt(r audit.Reader, n int64) (s audit.Stored, found bool, err error) {
	list, err := audit.List(r, audit.Filter{From: n, Before: n + 1})
	if err != nil || len(list) == 0 {
		return s, false, err
	}
	return list[0], true, nil
}
