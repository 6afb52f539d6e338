package tokens

import "fmt"

// An UnknownModelError reports a model whose tokenizer is not known.
type UnknownModelError struct{ Model string }

func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("%q: its tokenizer is unknown", e.Model)
}

// Choose returns the counter for a model, with encoding e unless e is "". An empty model means the
// default encoding. exact reports whether the counts are exact: the model uses that encoding, or e
// is given. The error is an [*UnknownModelError], or that of [New].
func Choose(model string, e Encoding) (c *Counter, exact bool, err error) {
	chosen, exact := O200kBase, true
	if model != "" {
		var ok bool
		if chosen, exact, ok = ForModel(model); !ok && e == "" {
			return nil, false, &UnknownModelError{model}
		}
	}
	if e != "" {
		chosen, exact = e, true
	}
	c, err = New(chosen)
	return c, exact, err
}
