package migrate

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A step is one object in the steps of a migration. It has one of these members, a JSON Pointer in which "*"
// stands for every element of an array. A pointer without a value has no effect.
//
//	{"rename": "/a/b", "to": "c"}                  the member gets another name
//	{"remove": "/a/b"}
//	{"replace": "/a/*/status", "values": {"x":"y"}} these strings become others
//	{"add": "/a/b", "value": 1}                     unless it exists: the value is made up
type step struct {
	did     string
	pointer []string
	to      string
	value   []byte
	values  jsonstream.Value
}

func parseSteps(root jsonstream.Value) ([]step, error) {
	list := root.Get("steps")
	if list.Kind() != jsonstream.Array {
		return nil, fmt.Errorf(`neither a JSON Patch nor an object with an array "steps": found %s`, finding.QuoteValue(root))
	}
	var steps []step
	for i, v := range list.Elements() {
		s, err := parseStep(v)
		if err != nil {
			return nil, fmt.Errorf("/steps/%d: %w", i, err)
		}
		steps = append(steps, s)
	}
	return steps, nil
}

func parseStep(v jsonstream.Value) (step, error) {
	var s step
	for name, member := range v.Members() {
		switch name {
		case "rename", "remove", "replace", "add":
			if s.did != "" {
				return s, fmt.Errorf("has %q and %q: make it two steps", s.did, name)
			}
			tokens, ok := jsonstream.SplitPointer(member.Text())
			if !ok || member.Kind() != jsonstream.String || len(tokens) == 0 {
				return s, fmt.Errorf("%s: expected a JSON Pointer to a member: found %s", name, finding.QuoteValue(member))
			}
			s.did, s.pointer = name, tokens
		case "to":
			s.to = member.Text()
		case "value":
			s.value = member.Raw()
		case "values":
			s.values = member
		case "description":
		default:
			return s, fmt.Errorf("unknown member %s: a step has rename and to, remove, replace and values, or add and value", finding.Quote(name))
		}
	}
	needs := map[string]string{"rename": "to", "replace": "values", "add": "value"}
	switch {
	case s.did == "":
		return s, fmt.Errorf("expected a member rename, remove, replace or add: found %s", finding.QuoteValue(v))
	case needs[s.did] != "" && !v.Get(needs[s.did]).Exists():
		return s, fmt.Errorf("%s needs a member %q", s.did, needs[s.did])
	case s.did == "rename" && s.to == "":
		return s, fmt.Errorf(`"to" is the new name of the member: found %s`, finding.QuoteValue(v.Get("to")))
	case s.did == "replace" && s.values.Kind() != jsonstream.Object:
		return s, fmt.Errorf(`"values" is an object of old and new values: found %s`, finding.QuoteValue(s.values))
	}
	return s, nil
}

// apply returns the document after a step.
func (s step) apply(doc *jsonstream.Document, limits jsonstream.Limits) (*jsonstream.Document, []Done, error) {
	name := s.pointer[len(s.pointer)-1]
	draft := jsonstream.NewDraft(doc.Root())
	var done []Done
	for _, parent := range reached(doc.Root(), s.pointer[:len(s.pointer)-1]) {
		places := []jsonstream.Value{parent.Get(name)}
		if s.did == "add" {
			if parent.Kind() != jsonstream.Object || places[0].Exists() {
				continue
			}
			at := jsonstream.AppendPointer(parent.Pointer(), name)
			if err := draft.Set(at, s.value); err != nil {
				return nil, nil, err
			}
			done = append(done, Done{Did: s.did, Place: at, Detail: "was missing; the migration sets it to " + finding.Shorten(string(s.value)), MadeUp: true})
			continue
		}
		if name == "*" || parent.Kind() == jsonstream.Array {
			places = reached(parent, []string{name})
		}
		begin := len(done)
		for _, place := range slices.Backward(places) { // so that removals do not change earlier indices
			did, err := s.change(draft, place)
			if err != nil {
				return nil, nil, err
			}
			if did.Did != "" {
				done = append(done, did)
			}
		}
		slices.Reverse(done[begin:])
	}
	if len(done) == 0 {
		return doc, nil, nil
	}
	next, err := draft.Document(limits)
	return next, done, err
}

// change applies a step to one place, if it has a value.
func (s step) change(draft *jsonstream.Draft, v jsonstream.Value) (Done, error) {
	if !v.Exists() {
		return Done{}, nil
	}
	at := v.Pointer()
	switch s.did {
	case "remove":
		return Done{Did: s.did, Place: at, Detail: "was " + finding.QuoteValue(v)}, draft.Remove(at)
	case "replace":
		value := s.values.Get(v.Text())
		if v.Kind() != jsonstream.String || !value.Exists() {
			return Done{}, nil
		}
		return Done{Did: s.did, Place: at, Detail: finding.QuoteValue(v) + " became " + finding.QuoteValue(value)}, draft.Set(at, value.Raw())
	}
	parent := v.Parent()
	if parent.Kind() != jsonstream.Object {
		return Done{}, fmt.Errorf("%s: only members have names", at)
	}
	if parent.Get(s.to).Exists() {
		return Done{}, fmt.Errorf("%s: a member %s already exists", at, finding.Quote(s.to))
	}
	rename(draft.At(parent.Pointer()), parent, v.Name(), s.to)
	return Done{Did: s.did, Place: at, Detail: "is " + finding.Quote(s.to) + " now"}, nil
}

// rename gives a member another name, in its place.
func rename(object *jsonstream.Draft, parent jsonstream.Value, name, to string) {
	index := 0
	for other := range parent.Members() {
		if other == name {
			break
		}
		index++
	}
	object.InsertAt(index, to, object.Take(name))
}

// reached returns the values at the end of a path of tokens; "*" stands for every element of an array.
func reached(v jsonstream.Value, tokens []string) []jsonstream.Value {
	if len(tokens) == 0 {
		return []jsonstream.Value{v}
	}
	token := tokens[0]
	if v.Kind() != jsonstream.Array || token != "*" {
		inner := v.At(jsonstream.AppendPointer("", token))
		if !inner.Exists() {
			return nil
		}
		return reached(inner, tokens[1:])
	}
	var list []jsonstream.Value
	for _, element := range v.Elements() {
		list = append(list, reached(element, tokens[1:])...)
	}
	return list
}
