package term

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/format"
)

// ToneColor returns the function that colours a text of a tone.
func ToneColor(colors Palette, t format.Tone) func(...any) string {
	switch t {
	case format.Good:
		return colors.Green
	case format.Bad:
		return colors.Red
	case format.Pending:
		return colors.Yellow
	case format.ID:
		return colors.Cyan
	default:
		return fmt.Sprint
	}
}
