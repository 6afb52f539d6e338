package settings

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/pflag"

	"github.com/eaapl/handoff/internal/cli"
)

// A harm is what a value of a flag may do in a project's file that the user has not
// approved. Whoever made the folder in which the user works wrote that file.
type harm int

const (
	anyHarm  harm = iota // runs, connects, trusts, writes or loosens: the zero value
	harmless             // whatever the value
	onlyTrue             // loosens, unless it switches a check on
	onlyLess             // loosens, unless it is less than what holds without it
)

// harms are of those flags that a project's file may set. All others need approval.
var harms = map[string]harm{
	"color": harmless, "format": harmless, "severity": harmless, "off": harmless,

	"all": onlyTrue, "strict": onlyTrue, "verify": onlyTrue,
	"no-made-up": onlyTrue, "lossless": onlyTrue, "reject-inexact": onlyTrue,

	"max-depth": onlyLess, "max-message-bytes": onlyLess, "max-ratio": onlyLess,
	"max-visits": onlyLess, "max-age": onlyLess, "clock-skew": onlyLess,
}

var (
	// errNeedsApproval says that a value may do harm. To go on without it may do harm, too:
	// it may be the key that signatures are checked with.
	errNeedsApproval = errors.New("cannot be set by")
	// errLooser says that a value would loosen what holds without it.
	errLooser = errors.New("is looser than")
)

// setHarmless sets a flag, if that can do no harm. The error is errNeedsApproval or wraps
// errLooser if it can, and otherwise says what is wrong with the value.
func setHarmless(f *pflag.Flag, texts []string) error {
	before, restore := snapshot(f)
	if err := set(f, texts); err != nil {
		return err
	}
	after := f.Value.String()
	harm, problem := harms[f.Name], errNeedsApproval
	switch {
	case after == before, harm == harmless,
		harm == onlyTrue && after == "true",
		harm == onlyLess && magnitude(f, after) < magnitude(f, before):
		return nil
	case harm != anyHarm:
		problem = fmt.Errorf("%s %w %s, which stays: it is set by", after, errLooser, before)
	}
	if err := restore(); err != nil {
		return err
	}
	return problem
}

// snapshot returns the value of a flag as text, and what sets it again.
func snapshot(f *pflag.Flag) (text string, restore func() error) {
	text = f.Value.String()
	if list, ok := f.Value.(pflag.SliceValue); ok {
		elements := slices.Clone(list.GetSlice())
		return text, func() error { return list.Replace(elements) }
	}
	return text, func() error { return f.Value.Set(text) }
}

// magnitude returns the size of a limit, infinite if there is none. Text is the flag's own.
func magnitude(f *pflag.Flag, text string) float64 {
	switch f.Value.Type() {
	case "duration":
		if d, err := time.ParseDuration(text); err == nil {
			return float64(d)
		}
		return math.Inf(1)
	case "size":
		var bytes int64
		_ = cli.NewByteSize(&bytes, 0).Set(text)
		return float64(bytes)
	default:
		n, _ := strconv.ParseFloat(text, 64)
		if n <= 0 {
			return math.Inf(1)
		}
		return n
	}
}
