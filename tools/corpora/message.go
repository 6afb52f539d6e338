package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// message writes a conversation as one canonical message, a line of JSON. Its identifiers depend
// only on the corpus and the conversation, so that the output is reproducible.
func (c *conversation) message(w io.Writer, corpus, task string) error {
	id := func(what string) string { return uuid(what + "\x00" + corpus + "\x00" + c.id) }
	return encode(w, map[string]any{
		"schemaVersion":               "2.0",
		"handoffId":                   c.handoffID(corpus),
		"taskId":                      id("task"),
		"parentHandoffId":             nil,
		"fromAgent":                   map[string]any{"agentId": "corpus-" + corpus, "agentVersion": "1.0.0", "executionId": id("execution")},
		"toAgent":                     map[string]any{"agentType": "next-agent", "agentVersion": ">=1.0.0"},
		"timestamp":                   "2026-01-01T00:00:00.000Z",
		"taskDescription":             task,
		"completedSubtasks":           []any{map[string]any{"subtaskId": "s0", "description": "Talk so far", "result": map[string]any{}, "completedAt": "2025-12-31T23:59:00Z"}},
		"remainingSubtasks":           []any{map[string]any{"subtaskId": "s1", "description": task}},
		"currentState":                map[string]any{},
		"relevantContext":             []any{},
		"constraints":                 []any{},
		"costTracking":                map[string]any{"costSpentSoFarUSD": 0, "costBudgetRemainingUSD": 1, "tokenSpent": map[string]any{"prompt": 0, "completion": 0}},
		"conversationHistorySummary":  "",
		"conversationHistoryVerbatim": c.turns,
		"toolCallHistory":             []any{},
		"traceparent":                 "00-" + strings.ReplaceAll(id("trace"), "-", "") + "-" + strings.ReplaceAll(id("span"), "-", "")[:16] + "-01",
	})
}

// labels writes the facts of a conversation as a line of JSON.
func (c *conversation) labels(w io.Writer, corpus string) error {
	facts := c.facts
	if facts == nil {
		facts = []fact{}
	}
	return encode(w, labels{c.handoffID(corpus), facts})
}

// labels is a line of NAME.labels.jsonl.
type labels struct {
	HandoffID string `json:"handoffId"`
	Facts     []fact `json:"facts"`
}

func (c *conversation) handoffID(corpus string) string {
	return uuid("handoff\x00" + corpus + "\x00" + c.id)
}

func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// uuid returns a text in the form of a random UUID that depends only on the name.
func uuid(name string) string {
	sum := sha256.Sum256([]byte(name))
	sum[6] = sum[6]&0x0f | 0x40
	sum[8] = sum[8]&0x3f | 0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", sum[:4], sum[4:6], sum[6:8], sum[8:10], sum[10:16])
}
