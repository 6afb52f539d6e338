package validate

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

func TestStructure(t *testing.T) {
	context := func(member string) *message.Message {
		return parseMessage(t, `{"handoff_id":"h","from_agent":"a","to_agent":"b","tool_state":{},"metadata":{},"conversation_history":[{"role":"user","content":"c"`+member+`}]}`)
	}
	for _, tt := range []struct {
		name string
		m    *message.Message
		of   format.Format
		want []string // rule and pointer
	}{
		{name: "valid", m: parseMessage(t, exampleText(t)), of: format.EAAPL},
		{name: "wrong type", m: with(t, "/constraints", `"c"`), of: format.EAAPL, want: []string{"schema/type /constraints"}},
		{name: "missing", m: parseMessage(t, strings.Replace(exampleText(t), `"taskId"`, `"x"`, 1)), of: format.EAAPL, want: []string{"schema/required "}},
		{name: "wrong form", m: with(t, "/handoffId", `"no UUID"`), of: format.EAAPL},
		{name: "Unix timestamp of SW4RM", m: context(`,"timestamp":1718100000`), of: format.SW4RMContext},
		{name: "timestamp that is no time", m: context(`,"timestamp":[]`), of: format.SW4RMContext, want: []string{"schema/type /conversation_history/0/timestamp"}},
		{name: "fixture", m: parseMessage(t, `{"mode":"macp.mode.handoff.v1","messages":[{"sender":"a","expect":"accept"}]}`), of: format.MACP, want: []string{"schema/fixture /messages"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			findings, err := Structure(t.Context(), tt.m, tt.of, jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, f := range findings {
				got = append(got, f.Rule+" "+f.Pointer)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
		})
	}
}
