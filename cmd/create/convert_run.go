package create

import (
	"errors"
	"fmt"

	"github.com/eaapl/handoff/internal/cli"
	"github.com/eaapl/handoff/internal/input"
	"github.com/eaapl/handoff/internal/remedy"
	"github.com/eaapl/handoff/pkg/convert"
	"github.com/eaapl/handoff/pkg/validate"
)

// convertError adds the place in the source to an error.
func convertError(d input.Document, err error) error {
	var broken convert.SourceErrors
	if !errors.As(err, &broken) {
		if errors.As(err, new(*convert.MadeUpError)) {
			err = cli.Reject(err)
		}
		return fmt.Errorf("%s: %w", d.Origin(), err)
	}
	errs := make([]error, len(broken))
	for i, f := range broken {
		text := fmt.Sprintf("%s:%d:%d: %s", d.Source.Name, f.Line, f.Column, f.PlacedMessage())
		if f.Rule != validate.Fixture {
			text += remedy.Lenient
		}
		if f.Rule != "" {
			text += " [" + f.Rule + "]"
		}
		errs[i] = cli.Reject(errors.New(text))
	}
	return errors.Join(errs...)
}
