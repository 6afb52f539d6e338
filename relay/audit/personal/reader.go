package personal

import (
	"context"

	"github.com/eaapl/handoff/relay/audit"
)

// A Reader reads a log, and restores the personal data of its messages.
type Reader struct {
	audit.Reader
	ctx    context.Context
	sealer *Sealer
	exact  bool
}

// NewReader returns a reader that restores personal data. If data can no longer be restored, an exact reader
// returns the error, an [*ErasedError] or another; other readers return the message with replacements.
func NewReader(ctx context.Context, r audit.Reader, s *Sealer, exact bool) *Reader {
	return &Reader{r, ctx, s, exact}
}

// Restore returns the message of a record as received, from its stored text.
func (r *Reader) Restore(of audit.Stored, text []byte) ([]byte, error) {
	original, err := r.sealer.Restore(r.ctx, r.Reader, of, text)
	if err != nil && !r.exact {
		return text, nil
	}
	return original, err
}
