package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// KindOf returns the kind of a flag's value. [NewValue] returns a value of a kind that accepts the same
// texts.
func KindOf(v pflag.Value) string {
	switch v.(type) {
	case *MaxDuration:
		return "maximal duration"
	case *TimeFlag, *thresholds, ByteSize:
		return v.Type()
	}
	if strings.HasPrefix(fmt.Sprintf("%T", v), "*pflag.") {
		return v.Type()
	}
	return otherKind + v.Type()
}

// otherKind is the prefix of the kind of a value with a command-specific check.
const otherKind = "other "

// An otherValue accepts any text.
type otherValue struct{ text, kind string }

func (v *otherValue) Set(text string) error {
	v.text = text
	return nil
}

func (v *otherValue) String() string { return v.text }

func (v *otherValue) Type() string { return v.kind }

// NewValue returns a value of a kind, with a default in pflag's form. A value of another kind, which its
// command checks, accepts any text.
func NewValue(kind, byDefault string) pflag.Value {
	if name, ok := strings.CutPrefix(kind, otherKind); ok {
		return &otherValue{byDefault, name}
	}
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	list := strings.FieldsFunc(strings.Trim(byDefault, "[]"), func(r rune) bool { return r == ',' })
	switch kind {
	case "bool":
		set.Bool(kind, false, "")
	case "int":
		set.Int(kind, 0, "")
	case "int64":
		set.Int64(kind, 0, "")
	case "float64":
		set.Float64(kind, 0, "")
	case "duration":
		set.Duration(kind, 0, "")
	case "stringSlice":
		set.StringSlice(kind, list, "")
		return set.Lookup(kind).Value
	case "stringArray":
		set.StringArray(kind, list, "")
		return set.Lookup(kind).Value
	case "size":
		set.Var(NewByteSize(new(int64), 0), kind, "")
	case "time":
		set.Var(&TimeFlag{}, kind, "")
	case "maximal duration":
		set.Var(new(MaxDuration), kind, "")
	case "SCORE":
		set.Var(&thresholds{}, kind, "")
	default:
		set.String(kind, "", "")
	}
	v := set.Lookup(kind).Value
	if v.String() != byDefault {
		_ = v.Set(byDefault) // never fails: written by a value of this kind
	}
	return v
}
