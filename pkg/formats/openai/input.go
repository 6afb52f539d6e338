package openai

import (
	"fmt"
	"slices"

	"github.com/eaapl/handoff/pkg/formats/openai/tool"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// Input appends the next agent's input from data, a HandoffInputData, as a JSON array of items:
// input_history, pre_handoff_items and input_items or, if that is null or absent, new_items, without
// run item wrappers and without tool approvals. A string as input_history becomes a message of the
// user. As the SDK for JavaScript does, Input omits the items before the last compaction of its
// conversations. On error, which is a [*ShapeError], Input returns dst unchanged.
func Input(dst []byte, data jsonstream.Value) ([]byte, error) {
	if err := CheckShape(data); err != nil {
		return dst, err
	}
	s := spellingOf(data)
	all := entries(data)
	if s.sdk == tool.JavaScript {
		for i, e := range slices.Backward(all) {
			if e.item.Get("type").Text() == "compaction" {
				all = all[i:]
				break
			}
		}
	}
	dst = append(dst, '[')
	for _, e := range all {
		switch {
		case !e.given:
		case e.isText():
			dst = s.appendMessage(jsonstream.AppendComma(dst), "user", "", e.item.Text())
		default:
			dst = appendWithout(jsonstream.AppendComma(dst), e.item, s.noted)
		}
	}
	return append(dst, ']'), nil
}

// appendWithout appends an object as compact JSON without some members.
func appendWithout(dst []byte, item jsonstream.Value, names []string) []byte {
	kept := true
	for _, name := range names {
		kept = kept && !item.Get(name).Exists()
	}
	if kept {
		return jsonstream.AppendCompact(dst, item.Raw())
	}
	draft := jsonstream.NewDraft(item)
	for _, name := range names {
		if item.Get(name).Exists() {
			if err := draft.Remove("/" + name); err != nil {
				panic(err) // impossible: it exists
			}
		}
	}
	return jsonstream.AppendCompact(dst, draft.Bytes())
}

// A Mapper maps the items of a conversation, a JSON array, to other items: the history_mapper
// of the SDK.
type Mapper func(items []byte) (jsonstream.Value, error)

// Map appends data, a HandoffInputData, with its history nested by a mapper, as compact JSON. The
// mapper receives all items except tool approvals, including items in summaries, and returns the
// input_history. The other members are as after [Nest]. Early is ignored. Map fails if [Nest] would,
// if the mapper fails, or if it does not return items; dst is then returned unchanged.
func Map(dst []byte, data jsonstream.Value, o NestOptions, mapper Mapper) ([]byte, error) {
	m, err := o.check(data)
	if err != nil {
		return dst, err
	}
	transcript := []byte{'['}
	add := func(item jsonstream.Value) bool {
		transcript = appendWithout(jsonstream.AppendComma(transcript), item, m.noted)
		return true
	}
	said := m.list(data, inHistory)
	if said.Kind() == jsonstream.String {
		transcript = m.appendMessage(transcript, "user", "", said.Text())
	}
	for _, item := range items(said) {
		m.flatten(item, add)
	}
	for _, place := range []int{beforeTurn, inTurn} {
		for _, item := range items(m.list(data, place)) {
			if !isApproval(item) {
				add(item)
			}
		}
	}
	mapped, err := mapper(append(transcript, ']'))
	if err != nil {
		return dst, err
	}
	if mapped.Kind() != jsonstream.Array {
		return dst, fmt.Errorf("the output of the mapper must be an array of items: found %s", mapped.Kind())
	}
	for i, item := range mapped.Elements() {
		if item.Kind() != jsonstream.Object {
			return dst, fmt.Errorf("item %d of the mapper's output: expected an object, found %s", i, item.Kind())
		}
	}
	return m.appendNested(dst, data, jsonstream.AppendCompact(nil, mapped.Raw())), nil
}
