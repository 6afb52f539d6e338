// Package remedy maps errors and findings to the flags that help. The packages under pkg describe only the
// problem, since they have no flags.
package remedy

import (
	"errors"
	"strings"

	"github.com/eaapl/handoff/pkg/compress"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/patch"
)

// Lenient is the remedy for a source that violates its own format.
const Lenient = "; fix it, or convert it as it is with --lenient"

// Of returns a suffix for the text of an error, "" if no flag helps.
func Of(err error) string {
	switch {
	case errors.Is(err, jsonstream.ErrTooDeep):
		return ": flatten the data, or raise --max-depth"
	case errors.Is(err, jsonstream.ErrTooLarge):
		if errors.As(err, new(*jsonstream.SyntaxError)) {
			return ": split it, or raise --max-message-bytes"
		}
		return ": raise --max-message-bytes"
	case errors.As(err, new(*compress.RatioError)):
		return "; if you trust the data, raise --max-ratio or --max-message-bytes"
	case errors.As(err, new(*compress.DictionaryError)):
		return ": decompress it with --dict FILE, where FILE is that dictionary"
	case errors.As(err, new(*convert.MadeUpError)):
		return "; leave out --no-made-up to have it made up"
	case errors.As(err, new(*formats.StrangerError)):
		return ofArray(err.Error()) // other errors include their remedy
	case errors.Is(err, convert.ErrUnknown):
		return "; name it with --format-in"
	case errors.Is(err, history.ErrFormat):
		return "; name the format with --format-in if it is one of them"
	case errors.As(err, new(*history.MismatchError)):
		return "; leave out --format-in to detect the format"
	case errors.Is(err, patch.ErrIrreversible):
		return ": make it with handoff diff -f jsonpatch --invertible"
	default:
		return ""
	}
}

// ofArray returns the remedy for an error about an array of messages.
func ofArray(text string) string {
	if strings.HasSuffix(text, formats.OneALine) {
		return ", or read each element as a message with --each"
	}
	return ""
}

// OfFinding returns a suffix for the message of a finding, "" if no flag helps.
func OfFinding(f finding.Finding) string {
	switch f.Rule {
	case "schema/unknown-format":
		return ofArray(f.Message)
	case "signature/signature-mismatch":
		return "; handoff verify --diagnose searches for the cause"
	case "chain/loop":
		return ", or raise --max-visits"
	case "chain/wrong-sender":
		return ", or give its type with --agent-type"
	default:
		return ""
	}
}
