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

// A harm is the possible harm of a flag's value in a project's file without the user's approval. The author
// of the user's working directory wrote that file.
type harm int

const (
	anyHarm  harm = iota // runs, connects, trusts, writes or loosens: the zero value
	harmless             // with any value
	onlyTrue             // loosens, unless it turns a check on
	onlyLess             // loosens, unless it is less than the value without it
)

// harms are the harms of the flags that a project's file may set. All others need approval.
var harms = map[string]harm{
	"color": harmless, "format": harmless, "severity": harmless, "off": harmless,

	"all": onlyTrue, "strict": onlyTrue, "verify": onlyTrue,
	"no-made-up": onlyTrue, "lossless": onlyTrue, "reject-inexact": onlyTrue,

	"max-depth": onlyLess, "max-message-bytes": onlyLess, "max-ratio": onlyLess,
	"max-visits": onlyLess, "max-age": onlyLess, "clock-skew": onlyLess,
}

var (
	// errNeedsApproval reports a value that may do harm. Continuing without it may do harm, too: it may be
	// the key for verifying signatures.
	errNeedsApproval = errors.New("cannot be set by")
	// errLooser reports a value that is looser than the value without it.
	errLooser = errors.New("is looser than")
)

// setHarmless sets a flag if that is harmless. Otherwise the error is errNeedsApproval or wraps errLooser;
// any other error means that the value is invalid.
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

// snapshot returns the value of a flag as text, and a function that restores it.
func snapshot(f *pflag.Flag) (text string, restore func() error) {
	text = f.Value.String()
	if list, ok := f.Value.(pflag.SliceValue); ok {
		elements := slices.Clone(list.GetSlice())
		return text, func() error { return list.Replace(elements) }
	}
	return text, func() error { return f.Value.Set(text) }
}

// magnitude returns the size of a limit, infinity if there is none. text is a value in the flag's form.
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
