package convert

import (
	"encoding/hex"
	"math/big"
	"strings"

	"github.com/eaapl/handoff/pkg/jsonstream"
)

// fits reports whether a value of the kind of a row is what the canonical schema asks for
// (section 5.2). Another one would make a message that its receiver refuses.
func fits(i int, value node) bool {
	switch i {
	case rowCompleted, rowRemaining:
		return areSubtasks(value)
	case rowRelevant:
		return all(value, isExcerpt)
	case rowConstraints:
		return all(value, isText)
	case rowTools:
		return all(value, isToolCall)
	case rowCost:
		return isCost(value)
	default:
		return true
	}
}

func all(list node, is func(node) bool) bool {
	for c := list.children(); c.next(); {
		if !is(c.value) {
			return false
		}
	}
	return true
}

// lacks reports whether a member is there that is not as it should be.
func lacks(n node, name string, is func(node) bool) bool {
	v := n.get(name)
	return v != none && !is(v)
}

func areSubtasks(list node) bool {
	seen := map[string]bool{}
	return all(list, func(s node) bool {
		id := s.get("subtaskId").str()
		again := seen[id]
		seen[id] = true
		return id != "" && !again && isText(s.get("description")) && !lacks(s, "completedAt", isTime)
	})
}

func isExcerpt(n node) bool {
	return isText(n.get("source")) && isText(n.get("excerpt")) && !lacks(n, "relevanceScore", isShare)
}

func isToolCall(n node) bool {
	return isText(n.get("tool")) && isTime(n.get("calledAt")) && !lacks(n, "inputHash", isHash) && !lacks(n, "outputTokens", isCount)
}

func isCost(n node) bool {
	spent, remaining := n.get("costSpentSoFarUSD"), n.get("costBudgetRemainingUSD")
	tokens := n.get("tokenSpent")
	return spent.is(jsonstream.Number) && !isNegative(spent) && remaining.is(jsonstream.Number) &&
		isCount(tokens.get("prompt")) && isCount(tokens.get("completion"))
}

// isNegative reports whether a number is below zero, of whatever size.
func isNegative(n node) bool { return jsonstream.AppendNormal(nil, n.number())[0] == '-' }

// isShare reports whether a number is from 0 to 1.
func isShare(n node) bool {
	r, ok := n.rational()
	return ok && r.Sign() >= 0 && r.Cmp(big.NewRat(1, 1)) <= 0
}

// isCount reports whether a number is whole, and not below zero.
func isCount(n node) bool {
	r, ok := n.rational()
	return ok && r.IsInt() && r.Sign() >= 0
}

func isHash(n node) bool {
	digits, ok := strings.CutPrefix(n.str(), "sha256:")
	_, err := hex.DecodeString(digits)
	return ok && err == nil && len(digits) == 64 && digits == strings.ToLower(digits)
}
