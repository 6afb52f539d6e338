package report

import (
	"github.com/eaapl/handoff/pkg/chain"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/validate"
)

// Rules returns the rules of all layers, and those of a chain after them: all that findings
// name.
func Rules() []finding.Rule { return append(validate.Rules(), chain.Rules()...) }
