package audit

import (
	"bytes"
	"context"

	"github.com/eaapl/handoff/internal/report"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/personal"
	"github.com/eaapl/handoff/relay/audit/trace"
	"github.com/eaapl/handoff/relay/internal/relayflags"
)

// Task returns a task of an audit log in the form of trace -f json. It opens the key store of personal data
// only if needed.
func Task(ctx context.Context, log *audit.Log, keys relayflags.SubjectKeysFlag, task string) ([]byte, error) {
	sealer := keys.Sealer(log)
	defer sealer.Close() // read only: errors of Close do not matter
	var text bytes.Buffer
	err := log.Store().View(ctx, func(r audit.Reader) error {
		r = personal.NewReader(ctx, r, sealer, false)
		t, err := trace.Read(r, task)
		if err != nil {
			return err
		}
		v, err := newTraceJSON(r, t)
		if err != nil {
			return err
		}
		return report.WriteJSON(&text, v)
	})
	return text.Bytes(), err
}
