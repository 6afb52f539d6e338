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

// check returns errors in a state that the schema of states does not find, but that keep its message from
// being accepted: the errors of [Message], an agent that neither the options nor the state name, and no
// completed subtask in a handoff that is not the first of its task. It leaves out errors that the schema also
// reports, and all but the first error at a value.
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

// agentsNamed notes missing agents.
func (b *builder) agentsNamed() {
	if b.o.From.AgentID == "" && !b.state.root.Get("fromAgent").Exists() {
		b.state.fail("/fromAgent", "missing: name the agent that hands over, as in %s", shape("/fromAgent")).option = OptionFrom
	}
	if b.o.To.AgentType == "" && !b.state.root.Get("toAgent").Exists() {
		b.state.fail("/toAgent", "missing: name the type of the agent that takes over, as in %s", shape("/toAgent")).option = OptionTo
	}
}

// somethingDone notes that no subtask is completed, unless the message is the first one or its members are
// overridden.
func (b *builder) somethingDone() {
	own := b.state.root.Get("completedSubtasks")
	isList := own.Kind() == jsonstream.Array || !own.Exists()
	if isList && own.Len() == 0 && len(b.carriedSubtasks()) == 0 && len(b.o.Set) == 0 && b.state.root.Get("taskDescription").Text() != message.Initial {
		b.state.fail("/completedSubtasks", "no completed subtasks in a handoff that is not the first: list the completed subtasks, as in %s, or write %q as the taskDescription of a first handoff",
			shape("/completedSubtasks"), message.Initial)
	}
}

// filledIn notes strings that still contain a placeholder of [Skeleton].
func (b *builder) filledIn() {
	if !bytes.Contains(b.state.root.Raw(), []byte(placeholderBody)) {
		return
	}
	for v := range b.state.root.All() {
		if v.Kind() == jsonstream.String && strings.Contains(v.Text(), placeholder) {
			b.state.fail(v.Pointer(), "not filled in: found %s; replace it with the value, or remove the member", finding.QuoteValue(v))
		}
	}
}
