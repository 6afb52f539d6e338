package audit

import "github.com/eaapl/handoff/pkg/audit"

func taskOf(r *audit.Record) string    { return r.TaskID }
func handoffOf(r *audit.Record) string { return r.HandoffID }
