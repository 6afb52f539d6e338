package audit_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/relay/audit"
	"github.com/eaapl/handoff/relay/audit/audittest"
)

// TestRecordsKeepToTheirSchema checks that the JSON of any record conforms to
// schemas/audit-record-1.schema.json.
func TestRecordsKeepToTheirSchema(t *testing.T) {
	text := rapid.SampledFrom([]string{"", "a", "6e7f936b-cafd-4624-8754-0bafc4e8acb3", "\"quoted\" \\ ☃ \u2028"})
	amount := rapid.SampledFrom([]string{"", "0", "0.08", "1e-3", "12.50", "-1", "1E+2"})
	number := rapid.SampledFrom([]int64{0, 1, 7, 1 << 53})
	rapid.Check(t, func(t *rapid.T) {
		sequence, code := number.Draw(t, "concerns"), int(number.Draw(t, "code"))-1
		r := audit.Record{
			Sequence: number.Draw(t, "sequence"), RecordedAt: time.UnixMicro(rapid.Int64Range(0, 1<<52).Draw(t, "time")), Event: rapid.SampledFrom(audit.Events()).Draw(t, "event"),
			HandoffID: text.Draw(t, "handoff"), TaskID: text.Draw(t, "task"), ParentHandoffID: text.Draw(t, "parent"), Sender: text.Draw(t, "sender"), Receiver: text.Draw(t, "receiver"),
			Reason: finding.Reason(text.Draw(t, "reason")), Attempt: int(number.Draw(t, "attempt")), CostSpentUSD: amount.Draw(t, "spent"), CostRemainingUSD: amount.Draw(t, "left"),
			PromptTokens: number.Draw(t, "prompt"), CompletionTokens: number.Draw(t, "completion"), TraceID: rapid.SampledFrom([]string{"", "0af7651916cd43dd8448eb211c80319c"}).Draw(t, "trace"),
			Transport: text.Draw(t, "transport"), LatencyMicros: number.Draw(t, "latency"), KeyID: text.Draw(t, "key"), MessageBytes: number.Draw(t, "bytes"),
			MessageDigest: audit.Hash{byte(number.Draw(t, "digest"))}, FrameDigest: audit.Hash{byte(number.Draw(t, "frame"))},
			Details: audit.Details{
				MoreFindings: int(number.Draw(t, "more")), Resumed: rapid.Bool().Draw(t, "resumed"), Running: rapid.Bool().Draw(t, "running"), Compressed: rapid.Bool().Draw(t, "compressed"),
				By: text.Draw(t, "by"), Explanation: text.Draw(t, "explanation"), DurationMicros: number.Draw(t, "duration"), Subject: text.Draw(t, "subject"),
			},
		}
		if rapid.Bool().Draw(t, "rare") {
			r.Details.Findings = []audit.Finding{{Rule: "schema/required", Severity: finding.Error, Pointer: text.Draw(t, "pointer"), Message: text.Draw(t, "message")}}
			r.Details.Concerns, r.Details.ExitCode = &sequence, &code
			r.Details.Allowed, r.Details.Receivers, r.Details.Commitments = []string{"safety/x"}, []string{text.Draw(t, "to")}, []audit.Hash{{1}}
			r.Details.PayloadDigest = &audit.Hash{2}
			r.Details.Setting = &audit.Setting{Name: text.Draw(t, "name"), Value: text.Draw(t, "value")}
			r.Details.Archive = &audit.Archive{First: sequence, Last: number.Draw(t, "last"), Directory: text.Draw(t, "directory"), File: "f", Digest: audit.Hash{3}}
			r.Details.Removal = &audit.Removal{Before: sequence, Records: 1}
		}
		audittest.CheckSchema(t, &r)
	})
}
