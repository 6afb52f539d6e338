package cli

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/pflag"
)

// FlagError returns the error of a flag without the terms of Go's parsers.
func FlagError(err error) error {
	invalid := (*pflag.InvalidValueError)(nil)
	if !errors.As(err, &invalid) {
		return err
	}
	cause := invalid.Unwrap()
	before, ok := strings.CutSuffix(err.Error(), cause.Error())
	if plain := ValueError(cause); ok && plain != cause {
		return errors.New(before + plain.Error())
	}
	return err
}

// ValueError returns why a value is not of a flag's type without the terms of Go's parsers.
func ValueError(err error) error {
	number := (*strconv.NumError)(nil)
	text := err.Error()
	switch {
	case errors.As(err, &number) && errors.Is(err, strconv.ErrRange):
		return fmt.Errorf("%q is too large", number.Num)
	case number != nil && number.Func == "ParseBool":
		return fmt.Errorf("%q is neither true nor false", number.Num)
	case number != nil && number.Func == "ParseFloat":
		return fmt.Errorf("%q is no number", number.Num)
	case number != nil:
		return fmt.Errorf("%q is no whole number", number.Num)
	case strings.HasPrefix(text, "time: ") && strings.Contains(text, `"`):
		return fmt.Errorf("%s is no duration: write it like 30s or 5m", text[strings.IndexByte(text, '"'):])
	}
	return err
}
