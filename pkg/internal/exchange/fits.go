package exchange

import (
	"encoding/hex"
	"math/big"
	"strings"

	"github.com/eaapl/handoff/pkg/internal/tree"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// lacks reports whether a member is present but invalid.
func lacks(n tree.Node, name string, is func(tree.Node) bool) bool {
	v := n.Get(name)
	return v != tree.None && !is(v)
}

func areSubtasks(list tree.Node) bool {
	seen := map[string]bool{}
	return tree.All(list, func(s tree.Node) bool {
		id := s.Get("subtaskId").Text()
		again := seen[id]
		seen[id] = true
		return id != "" && !again && tree.IsString(s.Get("description")) && !lacks(s, "completedAt", IsTime)
	})
}

func areStrings(list tree.Node) bool { return tree.All(list, tree.IsString) }

func areExcerpts(list tree.Node) bool {
	return tree.All(list, func(n tree.Node) bool {
		return tree.IsString(n.Get("source")) && tree.IsString(n.Get("excerpt")) && !lacks(n, "relevanceScore", isShare)
	})
}

func areToolCalls(list tree.Node) bool {
	return tree.All(list, func(n tree.Node) bool {
		return tree.IsString(n.Get("tool")) && IsTime(n.Get("calledAt")) && !lacks(n, "inputHash", isHash) && !lacks(n, "outputTokens", isCount)
	})
}

func isCost(n tree.Node) bool {
	spent, remaining := n.Get("costSpentSoFarUSD"), n.Get("costBudgetRemainingUSD")
	tokens := n.Get("tokenSpent")
	return spent.Is(jsonstream.Number) && !IsNegative(spent) && remaining.Is(jsonstream.Number) &&
		isCount(tokens.Get("prompt")) && isCount(tokens.Get("completion"))
}

// IsNegative reports whether a number of any size is below zero.
func IsNegative(n tree.Node) bool { return jsonstream.AppendNormal(nil, n.NumberText())[0] == '-' }

// isShare reports whether a number is from 0 to 1.
func isShare(n tree.Node) bool {
	r, ok := n.Rational()
	return ok && r.Sign() >= 0 && r.Cmp(big.NewRat(1, 1)) <= 0
}

// isCount reports whether a number is a non-negative integer.
func isCount(n tree.Node) bool {
	r, ok := n.Rational()
	return ok && r.IsInt() && r.Sign() >= 0
}

func isHash(n tree.Node) bool {
	digits, ok := strings.CutPrefix(n.Text(), "sha256:")
	_, err := hex.DecodeString(digits)
	return ok && err == nil && len(digits) == 64 && digits == strings.ToLower(digits)
}

// IsBrief reports whether an object has any member of a brief.
func IsBrief(n tree.Node) bool {
	for _, r := range Rows {
		if v := n.At(r.Member); v.Is(r.Kind) {
			return true
		}
	}
	return false
}
