package live

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"

	"github.com/eaapl/handoff/internal/viewer"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/viewer/records"
)

// A cut is a log truncated to an earlier size. Its reader may be replaced by another one of the same log.
type cut struct {
	audit.Reader
	size int64
}

// Head implements [audit.Reader].
func (c *cut) Head() (audit.Head, error) {
	s, found, err := recordAt(c.Reader, c.size-1)
	if err == nil && !found {
		err = fmt.Errorf("the audit log no longer has record %d", c.size-1)
	}
	return audit.Head{Size: c.size, Last: s.Hash}, err
}

// Records implements [audit.Reader].
func (c *cut) Records(f audit.Filter) iter.Seq2[audit.Stored, error] {
	if f.Before == 0 || f.Before > c.size {
		f.Before = c.size
	}
	return c.Reader.Records(f)
}

// Restore implements [trace.Restorer].
func (c *cut) Restore(of audit.Stored, text []byte) ([]byte, error) {
	if r, ok := c.Reader.(trace.Restorer); ok {
		return r.Restore(of, text)
	}
	return text, nil
}

// An openTask is the page of a task at a size of the log.
type openTask struct {
	id     string
	reader cut

	mu   sync.Mutex // guards the fields below, and the reader
	page *records.Page
}

// taskCache caches the pages of recent tasks: their details are requested one by one.
type taskCache struct {
	mu   sync.Mutex
	list []*openTask
}

// maxOpened is the size of the cache.
const maxOpened = 8

// of returns the cached page of a task, or a new one.
func (o *taskCache) of(id string, size int64) *openTask {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.list, func(t *openTask) bool { return t.id == id && t.reader.size == size })
	var t *openTask
	if i >= 0 {
		t = o.list[i]
		o.list = slices.Delete(o.list, i, i+1)
	} else {
		t = &openTask{id: id, reader: cut{size: size}}
	}
	o.list = append(o.list, t)
	if len(o.list) > maxOpened {
		o.list = slices.Delete(o.list, 0, 1)
	}
	return t
}

// with calls use with the page, while its reader is valid. It creates the page if necessary.
func (t *openTask) with(ctx context.Context, h *Handler, r audit.Reader, use func(*records.Page) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := ctx.Err(); err != nil { // after waiting for another request
		return err
	}
	t.reader.Reader = r
	defer func() { t.reader.Reader = nil }()
	page := t.page
	if page == nil {
		made, err := records.Read(context.WithoutCancel(ctx), &t.reader, t.id, h.options.Records(&t.reader))
		if err != nil {
			return err
		}
		if page = &made; len(made.Unread) == 0 { // unreadable messages may become readable
			t.page = page
		}
	}
	return use(page)
}

// task shows the report of a task.
func (h *Handler) task(ctx context.Context, r *http.Request) (*answer, error) {
	id := r.URL.Query().Get("id")
	var text bytes.Buffer
	var s viewer.Served
	err := h.view(ctx, func(reader audit.Reader, m moment) error {
		s.DetailsURL = "/task/details?" + url.Values{"id": {id}, "of": {strconv.FormatInt(m.Size, 10)}}.Encode() + "&i="
		s.Links = []viewer.Link{
			{Text: "Tasks", URL: "/"}, {Text: "Dead letters", URL: "/letters"}, {Text: "Metrics", URL: "/stats"},
			{Text: fmt.Sprintf("As of record %s, %s UTC: show the current state", grouped(m.Record()), clock(m.Last)), URL: taskURL(id, "")},
		}
		return h.tasks.of(id, m.Size).with(ctx, h, reader, func(p *records.Page) error {
			index := *p.Index
			index.Title = "Task " + plain(id)
			return viewer.WriteServed(&text, &index, s)
		})
	})
	if err != nil {
		return nil, err
	}
	return &answer{kind: htmlType, body: text.Bytes(), policy: s.Policy()}, nil
}

// details responds with the details of a handoff, requested by the report of a task.
func (h *Handler) details(ctx context.Context, r *http.Request) (*answer, error) {
	given := r.URL.Query()
	size, err := strconv.ParseInt(given.Get("of"), 10, 64)
	i, err2 := strconv.Atoi(given.Get("i"))
	if err != nil || err2 != nil {
		return nil, missing("These details do not exist.")
	}
	var text bytes.Buffer
	err = h.view(ctx, func(r audit.Reader, m moment) error {
		if size < 1 || size > m.Size {
			return missing("The audit log does not have this many records.")
		}
		return h.tasks.of(given.Get("id"), size).with(ctx, h, r, func(p *records.Page) error {
			if i < 0 || i >= len(p.Index.Handoffs) {
				return missing("The task does not have this handoff.")
			}
			d, err := p.Details(i)
			if err != nil {
				return err
			}
			return viewer.WriteDetails(&text, d)
		})
	})
	if err != nil {
		return nil, err
	}
	return &answer{kind: "application/json", body: text.Bytes()}, nil
}
