package vectors

import (
	"github.com/eaapl/handoff/pkg/format"
	suite "github.com/eaapl/handoff/vectors"
)

// Expect returns the expected answer to a case for which the given answer is right.
func Expect(c suite.Case, a Answer) suite.Expected {
	e := suite.Expected{Verdict: a.Verdict, Steps: a.steps()}
	if a.Verdict != suite.Valid {
		return e
	}
	switch c.Operation {
	case suite.RepairHistory:
	case suite.ReadSession:
		e.Turns, _ = readTurns(a.Output)
	case suite.ConvertHistory:
		to := format.Format(c.Input.To[len(c.Input.To)-1])
		if e.Same = string(to) == c.Input.Format && sameProblem(to, a.Output, string(c.Input.History)) == ""; e.Same {
			return e
		}
		if h, err := historyOf(to, a.Output); err == nil {
			e.Turns = turnsOf(h)
		}
	default:
		e.Output = a.Output
	}
	return e
}
