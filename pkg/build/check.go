package build

import (
	"bytes"
	"errors"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// check returns all that keeps a state from becoming a message that its receiver accepts, as
// far as the schema of states does not say it: errors as those of [Message], that neither the
// options nor the state name an agent, and that nothing is done in a handoff that is not the
// first of its task. What is missing where the schema wants something else is not among them.
func check(state *jsonstream.Document, o Options) []error {
	b := newBuilder(state, o)
	if b.state.root.Kind() != jsonstream.Object {
		return nil
	}
	b.message()
	b.agentsNamed()
	b.somethingDone()
	seen := map[string]bool{}
	return slices.DeleteFunc(b.errs, func(err error) bool {
		var at *InputError
		if !errors.As(err, &at) {
			return false
		}
		again := seen[at.Input+at.Pointer]
		seen[at.Input+at.Pointer] = true
		return again || at.Input == b.state.name && at.bySchema
	})
}

// agentsNamed notes who is not.
func (b *builder) agentsNamed() {
	if b.o.From.AgentID == "" && !b.state.root.Get("fromAgent").Exists() {
		b.state.fail("/fromAgent", "missing: say which agent hands over, as in %s", shape("/fromAgent")).option = OptionFrom
	}
	if b.o.To.AgentType == "" && !b.state.root.Get("toAgent").Exists() {
		b.state.fail("/toAgent", "missing: say which kind of agent is to take over, as in %s", shape("/toAgent")).option = OptionTo
	}
}

// somethingDone notes that no subtask is done, unless the message is a first one or members of it
// are overridden.
func (b *builder) somethingDone() {
	own := b.state.root.Get("completedSubtasks")
	isList := own.Kind() == jsonstream.Array || !own.Exists()
	if isList && own.Len() == 0 && len(b.carriedSubtasks()) == 0 && len(b.o.Set) == 0 && b.state.root.Get("taskDescription").Text() != message.Initial {
		b.state.fail("/completedSubtasks", "no completed subtasks in a handoff that is not the first: list what was done, as in %s, or write %q as the taskDescription of a first handoff",
			shape("/completedSubtasks"), message.Initial)
	}
}

// filledIn notes the strings that still say what is to be filled in, as [Skeleton] writes them.
func (b *builder) filledIn() {
	if !bytes.Contains(b.state.root.Raw(), []byte(placeholderBody)) {
		return
	}
	for v := range b.state.root.All() {
		if v.Kind() == jsonstream.String && strings.Contains(v.Text(), placeholder) {
			b.state.fail(v.Pointer(), "not filled in: found %s; write that in its place, or remove what is not needed", finding.QuoteValue(v))
		}
	}
}
