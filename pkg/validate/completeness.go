package validate

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/internal/semver"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/jsonstream"
	"github.com/eaapl/handoff/pkg/message"
)

// checkCompleteness runs the completeness layer (section 6.1).
func checkCompleteness(root jsonstream.Value, receiver *Receiver) []finding.Finding {
	var findings []finding.Finding
	add := func(v jsonstream.Value, rule, problem string) {
		if !v.Exists() {
			v = root // the member is missing
		}
		f := finding.Finding{Layer: finding.Completeness, Reason: IncompleteContext, Severity: finding.Error, Rule: rule, Message: problem}
		findings = append(findings, f.On(v))
	}
	if done := root.Get("completedSubtasks"); done.Kind() == jsonstream.Array && done.Len() == 0 &&
		root.Get("taskDescription").Text() != message.Initial {
		add(done, "completeness/completed-subtasks", fmt.Sprintf(
			"no completed subtasks in a handoff that is not the first: list the completed subtasks, or write %q as the taskDescription of a first handoff", message.Initial))
	}
	if receiver == nil {
		return findings
	}
	state := root.Get("currentState")
	for _, name := range receiver.RequiredState {
		pointer := name
		if !strings.HasPrefix(name, "/") {
			pointer = jsonstream.AppendPointer("", name)
		}
		if !state.At(pointer).Exists() {
			add(state, "completeness/required-state", fmt.Sprintf("the receiver requires %s in currentState, but it is missing", pointer))
		}
	}
	if receiver.StateSchema != nil && state.Exists() {
		for _, f := range receiver.StateSchema.Check(state) {
			f.Layer, f.Reason = finding.Completeness, IncompleteContext
			f.Message = fmt.Sprintf("the receiver's schema for currentState: %s (%s)", f.Message, strings.TrimPrefix(f.Rule, schemaPrefix))
			f.Rule = "completeness/state-schema"
			findings = append(findings, f)
		}
	}
	checkAddressee(root, receiver, add)
	return findings
}

// maxNamed is the maximum number of other addressees that a finding names.
const maxNamed = 5

// checkAddressee checks that a target of the message matches the receiver's type and has its version in its
// range.
func checkAddressee(root jsonstream.Value, receiver *Receiver, add func(v jsonstream.Value, rule, problem string)) {
	targets := []jsonstream.Value{root.Get("toAgent")}
	for _, target := range root.Get("receiverList").Elements() {
		targets = append(targets, target)
	}
	var types []string
	var excluded jsonstream.Value // the version range of a target with the receiver's type
	for _, target := range targets {
		agentType := message.ReceiverType(target)
		if agentType.Kind() != jsonstream.String {
			continue
		}
		if receiver.AgentType != "" && agentType.Text() != receiver.AgentType {
			if len(types) < maxNamed {
				types = append(types, finding.Quote(agentType.Text()))
			}
			continue
		}
		versions := target.Get("agentVersion")
		wanted, err := semver.ParseRange(versions.Text())
		if receiver.agentVersion == nil || !versions.Exists() || err != nil || wanted.Contains(*receiver.agentVersion) {
			return
		}
		excluded = versions
	}
	switch {
	case excluded.Exists():
		add(excluded, "completeness/version-range", fmt.Sprintf("the message requires version %s, but the receiver is version %s",
			finding.QuoteValue(excluded), receiver.agentVersion))
	case len(types) > 0:
		add(root.Get("toAgent"), "completeness/addressee", fmt.Sprintf("addressed to %s, but the receiver is %q",
			strings.Join(types, ", "), receiver.AgentType))
	}
}

// checkBudget runs the cost budget check (section 6.1).
func checkBudget(root jsonstream.Value) []finding.Finding {
	remaining := root.Get("costTracking").Get("costBudgetRemainingUSD")
	if remaining.Kind() != jsonstream.Number || isPositive(remaining.Raw()) {
		return nil
	}
	f := finding.Finding{Layer: finding.Budget, Reason: BudgetExhausted, Severity: finding.Error, Rule: "budget/budget-exhausted"}
	f.Message = fmt.Sprintf("no budget remains: found %s USD; do not execute, return the task to its sender", finding.Shorten(string(remaining.Raw())))
	return []finding.Finding{f.On(remaining)}
}

// isPositive reports whether a JSON number is above zero. It compares digits, so numbers of any length are
// not rounded.
func isPositive(number []byte) bool {
	mantissa := number
	if e := bytes.IndexAny(number, "eE"); e >= 0 {
		mantissa = number[:e]
	}
	return number[0] != '-' && bytes.ContainsAny(mantissa, "123456789")
}
