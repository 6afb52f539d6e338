package repair

import (
	"errors"
	"testing"

	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/provider"
)

// FuzzMessage checks that no document causes a panic, and that a repaired message can be restored and is
// not repaired again.
func FuzzMessage(f *testing.F) {
	for i, r := range provider.Rules() {
		f.Add([]byte(r.Bad), uint8(i), uint8(i/7))
	}
	f.Add([]byte(`{"history":[{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"a"}]}],"status":{"message":{"messageId":"n","role":"ROLE_AGENT","parts":[]}}}`), uint8(4), uint8(14))
	f.Add([]byte(`[{"role":"user","content":[{"type":"tool_result"},{"type":"tool_use","id":"a/b"}]},{"role":"assistant","tool_calls":{"a":1},"content":{}}]`), uint8(2), uint8(8))
	f.Fuzz(func(t *testing.T, text []byte, p, as uint8) {
		doc, err := jsonstream.Parse(jsonstream.NewRaw(text), jsonstream.Limits{})
		if err != nil {
			return
		}
		o := Options{For: provider.All()[int(p)%len(provider.All())]}
		if names := formats.Names(); int(as) < len(names) {
			o.Format = names[as]
		}
		if _, err := history.Of(doc, o.Format, jsonstream.Limits{}); err != nil {
			return
		}
		r, err := Message(doc, jsonstream.Limits{}, o)
		if err != nil || len(r.Left) > 0 || len(r.Steps) == 0 {
			return
		}
		mended, err := jsonstream.Parse(doc.Raw().With(r.Text), jsonstream.Unlimited())
		if err != nil {
			t.Fatal(err)
		}
		again, err := Message(mended, jsonstream.Unlimited(), Options{Format: r.Format, For: r.For})
		if err != nil && !errors.Is(err, history.ErrFormat) || len(again.Steps) > 0 {
			t.Errorf("%s as %s for %s: repaired again: %+v, %v", r.Text, r.Format, r.For, again.Steps, err)
		}
	})
}
