package personal

import (
	"context"

	"github.com/eaapl/handoff/relay/audit"
)

// A Reader reads a log, and puts back the personal data of its messages.
type Reader struct {
	audit.Reader
	ctx    context.Context
	sealer *Sealer
	exact  bool
}

// NewReader returns a reader that puts data back. Where that is not possible any more, an exact
// one returns the error, an [*ErasedError] or another, and others the message with replacements.
func NewReader(ctx context.Context, r audit.Reader, s *Sealer, exact bool) *Reader {
	return &Reader{r, ctx, s, exact}
}

// Restore returns the message of a record as it came, from the text that is stored of it.
func (r *Reader) Restore(of audit.Stored, text []byte) ([]byte, error) {
	original, err := r.sealer.Restore(r.ctx, r.Reader, of, text)
	if err != nil && !r.exact {
		return text, nil
	}
	return original, err
}
