package inspect

import (
	"bytes"
	"encoding/json"
	"strconv"

	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// numberText returns a copy of a number's text, nil for other kinds.
func numberText(v jsonstream.Value) json.RawMessage {
	if v.Kind() != jsonstream.Number {
		return nil
	}
	return bytes.Clone(v.Raw())
}

// maxTokens is the limit of one count, so that no sum can overflow.
const maxTokens = 1 << 34

// count reads a whole number from 0 to maxTokens, also in the form 3.2e3. Its cost does not
// depend on the form.
func count(v jsonstream.Value) (int64, bool) {
	if v.Kind() != jsonstream.Number {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v.Raw()), 64)
	if err != nil || f < 0 || f > maxTokens || f != float64(int64(f)) {
		return 0, false
	}
	return int64(f), true
}

func tokens(v jsonstream.Value) Tokens {
	t := Tokens{Prompt: numberText(v.Get("prompt")), Completion: numberText(v.Get("completion"))}
	prompt, ok1 := count(v.Get("prompt"))
	completion, ok2 := count(v.Get("completion"))
	if ok1 && ok2 {
		total := prompt + completion
		t.Total = &total
	}
	return t
}

func budget(v jsonstream.Value) Budget {
	b := Budget{SpentUSD: numberText(v.Get("costSpentSoFarUSD")), RemainingUSD: numberText(v.Get("costBudgetRemainingUSD"))}
	if b.SpentUSD == nil || b.RemainingUSD == nil {
		return b
	}
	spent, err1 := message.Number(b.SpentUSD).Decimal()
	remaining, err2 := message.Number(b.RemainingUSD).Decimal()
	if err1 != nil || err2 != nil {
		return b
	}
	share := spentShare(spent, remaining)
	b.SpentShare = &share
	return b
}

func spentShare(spent, remaining message.Decimal) float64 {
	switch whole := spent.Add(remaining); {
	case remaining.Sign() <= 0:
		return 1
	case spent.Sign() <= 0:
		return 0
	default:
		return spent.Quo(whole, 4).Float64()
	}
}
