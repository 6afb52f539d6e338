package macp

import (
	"strings"
	"testing"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// TestAdvise checks the warnings about SessionStart messages that the reference runtime rejects,
// although no RFC does.
func TestAdvise(t *testing.T) {
	many := make([]string, 1001)
	for i := range many {
		many[i] = strings.Repeat("p", i+1)
	}
	many[0] = alice
	of := func(change func(*SessionStart)) *SessionStart {
		p := starts().Payload.(*SessionStart)
		change(p)
		return p
	}
	for _, tt := range []struct {
		name  string
		start *SessionStart
		want  string // pointers, after the payload's
	}{
		{"nothing", of(func(*SessionStart) {}), ""},
		{"a day", of(func(p *SessionStart) { p.TTLMS = 86_400_000 }), ""},
		{"more than a day", of(func(p *SessionStart) { p.TTLMS++; p.TTLMS += 86_400_000 }), "/ttl_ms"},
		{"blank versions", of(func(p *SessionStart) { p.ModeVersion, p.ConfigurationVersion = " ", "\t" }), "/mode_version /configuration_version"},
		{"another mode version", of(func(p *SessionStart) { p.ModeVersion = "1.1.0" }), "/mode_version"},
		{"a blank participant", of(func(p *SessionStart) { p.Participants[2] = " \u3000" }), "/participants/2"},
		{"look-alike participants", of(func(p *SessionStart) { p.Participants[2] = bob + " " }), "/participants/2"},
		{"too many participants", of(func(p *SessionStart) { p.Participants = many }), "/participants"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			doc, err := jsonstream.Parse(jsonstream.NewRaw([]byte(example(Step{Sender: alice, Payload: tt.start}))), jsonstream.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if found := Check(doc, Options{}); len(found) > 0 {
				t.Fatalf("not only advice: %+v", found)
			}
			var pointers []string
			for _, f := range Advise(doc) {
				if f.Severity != finding.Warning || f.Rule != runtimeRule || !strings.Contains(f.Message, "although no RFC does") {
					t.Errorf("%+v", f)
				}
				pointers = append(pointers, strings.TrimPrefix(f.Pointer, "/messages/0/payload"))
			}
			if got := strings.Join(pointers, " "); got != tt.want {
				t.Errorf("found %q, want %q", got, tt.want)
			}
		})
	}
}
