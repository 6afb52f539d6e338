package convert

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

func TestChecked(t *testing.T) {
	const (
		broken   = "{\"input_history\":5,\n\"pre_handoff_items\":[],\"new_items\":[7]}" // broken for the conversion too
		unasked  = `{"tool_state":{},"metadata":{},"conversation_history":[{"role":"user","content":"c","timestamp":[]}]}`
		snapshot = "{\"from_agent\":\"a\",\"to_agent\":\"b\",\"reason\":\"r\",\n\"context_snapshot\":{\"conversation_history\":[],\"tool_state\":{}}}"
	)
	carrying := string(result(t, []byte(unasked), format.EAAPL, Options{Lenient: true}).Text)
	for _, tt := range []struct {
		name, in string
		to       format.Format
		options  Options
		want     []string // place and rule of each fault; nil for a result
	}{
		{name: "valid", in: string(sample(t, format.EAAPL)), to: format.OpenAI},
		{name: "all that the schema finds", in: broken, to: format.EAAPL, want: []string{"1:18 /input_history schema/type", "2:37 /new_items/0 schema/type"}},
		{name: "what the conversion takes", in: unasked, to: format.EAAPL, want: []string{"1:97 /conversation_history/0/timestamp schema/type"}},
		{name: "leniently", in: unasked, to: format.EAAPL, options: Options{Lenient: true}},
		{name: "in the format already", in: unasked, to: format.SW4RMContext, want: []string{"1:97 /conversation_history/0/timestamp schema/type"}},
		{name: "in the format already, leniently", in: unasked, to: format.SW4RMContext, options: Options{Lenient: true}},
		{name: "contents of another kind than the format's", in: `[{"role":"user","content":7}]`, to: format.OpenAIChat, want: []string{"1:27 /0/content schema/type"}},
		{name: "back to what it was made from", in: carrying, to: format.SW4RMContext},
		{name: "broken, in the format already", in: broken, to: format.OpenAI, want: []string{"1:18 /input_history schema/type", "2:37 /new_items/0 schema/type"}},
		{name: "in a snapshot", in: snapshot, to: format.EAAPL, want: []string{"2:20 /context_snapshot schema/required"}},
		{name: "what only the conversion finds", in: "{\"handoff_id\":\"h\",\"from_agent\":\"a\",\"to_agent\":\"b\",\"reason\":\"r\",\n\"context_snapshot\":\"eyJhIjoxLCJhIjoyfQ==\"}", to: format.EAAPL, want: []string{"2:20 /context_snapshot "}},
		{name: "a fixture", in: `{"mode":"macp.mode.handoff.v1","messages":[{"sender":"a","expect":"accept"}]}`, to: format.EAAPL, want: []string{"1:43 /messages schema/fixture"}},
		{name: "before what is made up", in: unasked, to: format.EAAPL, options: Options{Strict: true}, want: []string{"1:97 /conversation_history/0/timestamp schema/type"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r, err := Checked(t.Context(), parsed(t, []byte(tt.in)), tt.to, tt.options, jsonstream.Limits{})
			var faults SourceErrors
			if (r.Text == nil) == (err == nil) || err != nil && !errors.As(err, &faults) {
				t.Fatalf("got %s, error %v", r.Text, err)
			}
			var got []string
			for _, f := range faults {
				got = append(got, fmt.Sprintf("%d:%d %s %s", f.Line, f.Column, f.Pointer, f.Rule))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("want and got:\n%s", diff)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r, err := Checked(ctx, parsed(t, []byte(unasked)), format.EAAPL, Options{}, jsonstream.Limits{}); r.Text != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %s, error %v", r.Text, err)
	}
}
