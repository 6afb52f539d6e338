package sign

import (
	"errors"
	"testing"
	"time"
)

func TestFreshness(t *testing.T) {
	now := time.Date(2026, 6, 12, 12, 0, 0, 0, time.UTC)
	f := Freshness{MaxAge: time.Hour, Skew: time.Minute}
	for _, tt := range []struct {
		in   string
		want Reason // "" if fresh
	}{
		{`{"timestamp":"2026-06-12T11:30:00Z"}`, ""},
		{`{"timestamp":"2026-06-12T10:59:00.000Z"}`, ""},
		{`{"timestamp":"2026-06-12T10:58:59.999Z"}`, Expired},
		{`{"timestamp":"2026-06-12T13:30:00+02:00"}`, ""},
		{`{"timestamp":"2026-06-12T12:01:00Z"}`, ""},
		{`{"timestamp":"2026-06-12T12:01:00.001Z"}`, NotYetValid},
		{`{"timestamp":"9999-12-31T23:59:59Z"}`, NotYetValid},
		{`{"timestamp":"0000-01-01T00:00:00Z"}`, Expired},
		{`{"timestamp":"2026-06-12t11:30:00z"}`, ""},
		{`{"timestamp":"2026-05-31T23:59:60Z"}`, Expired},
		{`{"timestamp":"2026-06-12T11:59:60Z"}`, NoTimestamp},
		{`{"timestamp":"2026-06-12 11:30:00Z"}`, NoTimestamp},
		{`{"timestamp":"2026-06-12T1:30:00Z"}`, NoTimestamp},
		{`{"timestamp":"2026-06-12T11:30:00+24:00"}`, NoTimestamp},
		{`{"timestamp":"yesterday"}`, NoTimestamp},
		{`{"timestamp":1781265600}`, NoTimestamp},
		{`{}`, NoTimestamp},
		{`[]`, NoTimestamp},
	} {
		err := f.Check(parse(t, tt.in), now)
		e := (*Error)(nil)
		if tt.want == "" && err != nil || tt.want != "" && (!errors.As(err, &e) || e.Reason != tt.want) {
			t.Errorf("%s: got %v, want %q", tt.in, err, tt.want)
		}
	}
}

// A leap second is as old as the second after it.
func TestFreshnessOfLeapSecond(t *testing.T) {
	m := parse(t, `{"timestamp":"2026-06-30T23:59:60Z"}`)
	f := Freshness{MaxAge: time.Minute}
	if err := f.Check(m, time.Date(2026, 7, 1, 0, 1, 0, 0, time.UTC)); err != nil {
		t.Error(err)
	}
	if err := f.Check(m, time.Date(2026, 7, 1, 0, 1, 0, 1, time.UTC)); err == nil {
		t.Error("accepted a nanosecond too late")
	}
}

// The first fault decides: a forged message is never reported as old.
func TestPolicy(t *testing.T) {
	now := time.Date(2026, 6, 12, 12, 0, 0, 0, time.UTC)
	key := NewKey("k")
	v, err := NewVerifier([]Key{key})
	if err != nil {
		t.Fatal(err)
	}
	const fresh, old = `"timestamp":"2026-06-12T11:59:59Z"`, `"timestamp":"2020-01-01T00:00:00Z"`
	hour := Freshness{MaxAge: time.Hour}
	for _, tt := range []struct {
		name, in string
		unsigned bool
		policy   Policy
		want     Reason // "" if accepted
	}{
		{name: "all", in: `{"handoffId":"h",` + fresh + `}`, policy: Policy{v, hour, true}},
		{name: "unsigned and old", in: `{` + old + `}`, unsigned: true, policy: Policy{v, hour, true}, want: Missing},
		{name: "old and nameless", in: `{` + old + `}`, policy: Policy{v, hour, true}, want: Expired},
		{name: "nameless", in: `{` + fresh + `}`, policy: Policy{v, hour, true}, want: NoHandoffID},
		{name: "of two lines", in: `{"handoffId":"h\n",` + fresh + `}`, policy: Policy{v, hour, true}, want: NoHandoffID},
		{name: "any age", in: `{"handoffId":"h",` + old + `}`, policy: Policy{Verifier: v, Once: true}},
		{name: "any number of times", in: `{` + fresh + `}`, policy: Policy{Verifier: v, Freshness: hour}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			text := []byte(tt.in)
			if !tt.unsigned {
				if text, err = Sign(parse(t, tt.in), key, false); err != nil {
					t.Fatal(err)
				}
			}
			used, err := tt.policy.Accept(parse(t, string(text)), now)
			e := (*Error)(nil)
			if tt.want == "" && (err != nil || used.ID != key.ID) || tt.want != "" && (!errors.As(err, &e) || e.Reason != tt.want) {
				t.Errorf("got %q and %v, want %q", used.ID, err, tt.want)
			}
		})
	}
}
