package safety

import (
	"context"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// ScanText scans a text without a document as [Data]. Its findings have no Value. The only error is
// the scanner's.
func ScanText(ctx context.Context, scanner Scanner, text string, allow []Allowance) (Report, error) {
	d := documentScan{ctx: ctx, scanner: scanner, allow: allow}
	err := d.text(jsonstream.Value{}, text, false, Data)
	return d.report, err
}
