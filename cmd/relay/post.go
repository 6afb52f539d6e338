package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/internal/child"
	"github.com/eaapl/handoff/internal/term"
	"github.com/eaapl/handoff/internal/webpost"
)

// Poster returns a function that has handoff-relay send a request. Its processes belong to set.
func Poster(set *child.Set) func(context.Context, webpost.Request) (webpost.Answer, error) {
	return func(ctx context.Context, r webpost.Request) (a webpost.Answer, err error) {
		input, err := json.Marshal(r)
		if err != nil {
			return a, err
		}
		var said []string
		stderr := func(line string) { said = append(said, strings.TrimPrefix(line, "handoff: ")) }
		output, err := exchange(ctx, set, stderr, input, webpost.Command)
		switch {
		case err != nil && len(said) > 0:
			return a, fmt.Errorf("%s: %s", Name, term.Visible(strings.Join(said, "; ")))
		case errors.As(err, new(*AbsentError)):
			return a, fmt.Errorf("%s, which sends the requests, is not installed: put it beside handoff, or on PATH (docs/install.md)", Name)
		case ctx.Err() != nil:
			return a, ctx.Err()
		case err != nil:
			return a, fmt.Errorf("%s %w", Name, err)
		}
		if err := json.Unmarshal(output, &a); err != nil {
			return a, fmt.Errorf("the output of %s %s: %w", Name, webpost.Command, err)
		}
		return a, nil
	}
}

// exchange runs handoff-relay with an input and returns its output. stderr is called with each line of its standard error.
func exchange(ctx context.Context, set *child.Set, stderr func(string), input []byte, args ...string) ([]byte, error) {
	if InProcess != nil {
		var out, problems bytes.Buffer
		err := ended(InProcess(bytes.NewReader(input), &out, &problems, args))
		for line := range strings.Lines(problems.String()) {
			stderr(strings.TrimRight(line, "\n"))
		}
		return out.Bytes(), err
	}
	path, err := find()
	if err != nil {
		return nil, err
	}
	o := child.Options{Args: append([]string{path}, args...), Env: environment(), Stderr: stderr}
	return set.Exchange(ctx, o, input, child.Bounds{Output: 2 * webpost.MaxAnswer})
}
