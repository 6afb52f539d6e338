package sign

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/vectors"
)

// TestSuite checks the cases of the conformance suite: the reason of each verdict, and the words for it.
func TestSuite(t *testing.T) {
	for _, c := range vectors.Cases("signatures") {
		if c.Operation != vectors.Verify {
			continue
		}
		t.Run(c.ID, func(t *testing.T) {
			m, err := message.Parse([]byte(c.Input.Message), message.Options{})
			if err != nil {
				if c.Expected.Steps[0] != "syntax" {
					t.Fatal(err)
				}
				return
			}
			keys, err := ParseKeys(c.Input.Keys)
			if err != nil {
				t.Fatal(err)
			}
			v, err := NewVerifier(keys)
			if err != nil {
				t.Fatal(err)
			}
			if c.Input.Trust != nil {
				v = v.WithTrust(trustOf(t, c.Input.Trust))
			}
			now, err := time.Parse(time.RFC3339, c.Input.Now)
			if err != nil {
				t.Fatal(err)
			}
			policy := Policy{v, Freshness{time.Duration(c.Input.MaxAge) * time.Second, time.Duration(c.Input.Skew) * time.Second}, c.Input.Once}
			by, err := policy.Accept(m, now)
			if c.Expected.Verdict == vectors.Valid {
				if id := m.Document().Root().Get(KeyIDMember).Text(); err != nil || by.ID != "" && by.ID != id {
					t.Errorf("got %v, %v; want the key %q", by, err, id)
				}
				return
			}
			e := (*Error)(nil)
			if !errors.As(err, &e) {
				t.Fatalf("got %v, %v", by, err)
			}
			says := strings.Split(problems[strings.TrimPrefix(c.ID, "signatures/")], "|")
			if e.Reason != Reason(c.Expected.Steps[0]) || !strings.Contains(e.Problem, says[0]) || len(says) > 1 && e.Pointer != says[1] || by.ID != "" && c.Input.Trust != nil {
				t.Errorf("got %s at %q by %q: %v\nwant %v: %q", e.Reason, e.Pointer, by.ID, e, c.Expected.Steps, says)
			}
			if e.Reason == Untrusted || e.Reason == KeyPeriod {
				if lines := v.Explain(m, nil); len(lines) == 0 || !strings.Contains(lines[0], m.Document().Root().Get(KeyIDMember).Text()) {
					t.Errorf("is explained as %q", lines)
				}
			}
		})
	}
}

func trustOf(t *testing.T, bonds []vectors.Bond) (trust Trust) {
	for _, b := range bonds {
		one := Binding{KeyID: b.KeyID, Agents: b.Agents}
		for text, at := range map[string]*time.Time{b.NotBefore: &one.NotBefore, b.NotAfter: &one.NotAfter} {
			if text == "" {
				continue
			}
			var err error
			if *at, err = time.Parse(time.RFC3339, text); err != nil {
				t.Fatal(err)
			}
		}
		trust = append(trust, one)
	}
	return trust
}

// problems are parts of the errors about cases, with the pointer after a |.
var problems = map[string]string{
	"verify/named-key-is-not-tried-with-others": `is not valid under key "old"|/signature`,
	"verify/missing":                      `has no member "signature"|`,
	"verify/no-string":                    "found a null|/signature",
	"verify/no-algorithm":                 "found no algorithm|/signature",
	"verify/short":                        "found 2 digits|/signature",
	"verify/upper-case":                   "found upper-case ones|/signature",
	"verify/base64":                       "found other characters in 8 bytes|/signature",
	"verify/other-algorithm":              `signed with "ed25519", but no available key is for it: found key "old"|/signature`,
	"verify/unknown-algorithm":            `signed with "hmac-md5": only hmac-sha256 and ed25519 are accepted|/signature`,
	"verify/no-algorithm-at-all":          "|/signature",
	"verify/algorithm-in-upper-case":      "|/signature",
	"verify/unknown-key":                  `key "k9", which is not available: found key "old", key "current"|/signatureKeyId`,
	"verify/key-id-that-is-no-string":     "|/signatureKeyId",
	"verify/inexact-number":               "write 0.1, or|/a/0",
	"verify/mismatch":                     "under a key without an ID|/signature",
	"ed25519/padding":                     "found padding",
	"ed25519/base64":                      "base64, which has + and /",
	"ed25519/hex":                         "found hex digits",
	"ed25519/short":                       "found 84 bytes",
	"ed25519/long":                        "found 88 bytes",
	"ed25519/bits-at-the-end":             "bits that are not zero at the end",
	"ed25519/line-feed":                   "other characters",
	"ed25519/empty":                       "found 0 bytes",
	"trust/another-agent":                 `the signature is valid under key "planner-1", which may not sign for the agent "scorer"`,
	"trust/a-key-without-a-binding":       "may not sign for",
	"trust/no-sender":                     "the message has no fromAgent.agentId",
	"trust/a-sender-that-is-no-string":    "the message has no fromAgent.agentId",
	"trust/made-too-early":                "is valid from 2026-06-10T00:00:00Z, but the message is dated 2026-06-09T23:59:59Z",
	"trust/made-too-late":                 "was valid until 2026-06-20T00:00:00Z, but the message is dated",
	"trust/dated-back-after-the-period":   "but the current time is 2026-06-21T00:00:00Z: sign with a newer key",
	"trust/dated-ahead-before-the-period": "but the current time is 2026-06-09",
	"trust/no-time":                       "the timestamp is not a time",
	"trust/an-invalid-signature-first":    "is not valid",
}

// Every problem above belongs to a case.
func TestSuiteProblems(t *testing.T) {
	ids := map[string]bool{}
	for _, c := range vectors.Cases("signatures") {
		ids[strings.TrimPrefix(c.ID, "signatures/")] = true
	}
	for id := range problems {
		if !ids[id] {
			t.Errorf("no case has the id %s", id)
		}
	}
}
