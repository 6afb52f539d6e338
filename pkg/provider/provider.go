// Package provider checks whether the API of a model provider accepts a history: its calls and results,
// order of roles, reasoning, ids, names, texts and media. The page that [Rules] are read from documents
// each rule with its sources.
package provider

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/eaapl/handoff/pkg/conversation"
	"github.com/eaapl/handoff/pkg/finding"
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/formats"
	"github.com/eaapl/handoff/pkg/history"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// A Provider is the name of an API that accepts histories.
type Provider string

// The providers.
const (
	OpenAIChat      Provider = "openai-chat"
	OpenAIResponses Provider = "openai-responses"
	Anthropic       Provider = "anthropic"
	Gemini          Provider = "gemini"
	BedrockConverse Provider = "bedrock-converse"
)

// All returns the providers, in listing order.
func All() []Provider {
	return []Provider{OpenAIChat, OpenAIResponses, Anthropic, Gemini, BedrockConverse}
}

// The errors of APIs that reject a history.
const (
	// InvalidRequest is the error type of OpenAI and Anthropic.
	InvalidRequest finding.Reason = "INVALID_REQUEST_ERROR"
	// InvalidArgument is the status of the Gemini API.
	InvalidArgument finding.Reason = "INVALID_ARGUMENT"
	// ValidationException is the error of Amazon Bedrock.
	ValidationException finding.Reason = "VALIDATION_EXCEPTION"
)

// Reason returns the error of the provider's API for a rejected history.
func (p Provider) Reason() finding.Reason {
	switch p {
	case Gemini:
		return InvalidArgument
	case BedrockConverse:
		return ValidationException
	default:
		return InvalidRequest
	}
}

// Check returns the faults of a history for the provider's API, in text order. A history in another format
// is checked as converted for the API: see the page of [Rules]. Faults in encoded values are placed at the
// carrier.
func Check(p Provider, h *history.History) []finding.Finding {
	faults := Faults(p, h.Root, h.Layout(), h.Turns)
	if list := emptyList(h); list.Exists() {
		c := &checker{provider: p, rules: byID()}
		c.report("no-turns", list, "the history has no turns; add the turn that the model must answer")
		faults = append(faults, c.found...)
	}
	slices.SortStableFunc(faults, inText)
	all := make([]finding.Finding, len(faults))
	for i, f := range faults {
		all[i] = f.Finding
		if carrier := h.Carrier(); carrier.Exists() {
			all[i] = f.Inside(carrier)
		}
	}
	return all
}

// emptyList returns the list of a chat history without turns; absent for any other history, and for a
// message that carries one.
func emptyList(h *history.History) jsonstream.Value {
	if h.Layout().Known == nil || len(h.Turns) > 0 {
		return jsonstream.Value{}
	}
	for _, list := range h.Lists {
		if list.Value.Kind() == jsonstream.Array && list.Value.Len() == 0 {
			return list.Value
		}
	}
	return jsonstream.Value{}
}

// inText compares faults by their offset.
func inText(a, b Fault) int { return cmp.Compare(a.Offset, b.Offset) }

// A Fault is a finding with the value that it is placed at.
type Fault struct {
	finding.Finding
	At jsonstream.Value
	// Of is the call that the result at At answers, if the fault is the result's place; absent for other
	// faults.
	Of jsonstream.Value
}

// Faults is [Check] for turns that may come from several documents: the findings are grouped by subject,
// and their places refer to the documents of the turns. The request is the message that they are sent in.
func Faults(p Provider, request jsonstream.Value, d *format.Descriptor, turns []conversation.Turn) []Fault {
	c := newChecker(p, d, whole())
	if c.native && !c.divided && request.Kind() == jsonstream.Object {
		c.request = request
	}
	return c.check(turns)
}

// A checker collects the faults for a provider.
type checker struct {
	provider Provider
	rules    map[string]finding.Rule

	// The properties of the turns' format.
	native      bool // it is the provider's own
	client      format.Client
	divided     bool                                       // one message of the provider may be several turns
	resultsOnly bool                                       // calls are known only by their results
	replaces    func(earlier, later jsonstream.Value) bool // may be nil

	stretch Stretch          // the checked turns
	request jsonstream.Value // absent if only turns are known

	messages []message
	found    []Fault

	// Of the AI SDK: the calls by the ids of their approval requests, those whose result the SDK makes from the
	// answer, and those that are not sent, because the provider runs their tools after the answer.
	asked           map[string]string
	decided, unsent map[string]bool
}

// report adds a finding of the provider's rule with a name, if there is one.
func (c *checker) report(rule string, at jsonstream.Value, format string, args ...any) {
	c.reportAs("", rule, at, format, args...)
}

// reportAs is like report, but with another severity, unless severity is "".
func (c *checker) reportAs(severity finding.Severity, rule string, at jsonstream.Value, format string, args ...any) {
	r, ok := c.rules[string(c.provider)+"/"+rule]
	if !ok {
		return
	}
	f := finding.Finding{
		Rule: r.ID, Layer: r.Layer, Reason: r.Reason, Severity: cmp.Or(severity, r.Severity), Message: fmt.Sprintf(format, args...),
	}
	c.found = append(c.found, Fault{Finding: f.On(at), At: at})
}

// has reports whether the provider has a rule with a name.
func (c *checker) has(rule string) bool {
	_, ok := c.rules[string(c.provider)+"/"+rule]
	return ok
}

// is reports whether the provider is one of providers.
func (c *checker) is(providers ...Provider) bool { return slices.Contains(providers, c.provider) }

// Of returns the provider whose API accepts the turns of a format unchanged, "" if there is none.
func Of(h *history.History) Provider {
	return Provider(formats.Named(h.ContextFormat).Provider)
}

// spoken are common names of providers.
var spoken = map[string]Provider{
	"chat": OpenAIChat, "chat-completions": OpenAIChat, "openai": OpenAIChat, "azure": OpenAIChat, "azure-openai": OpenAIChat, "mistral": OpenAIChat,
	"responses": OpenAIResponses, "claude": Anthropic, "messages": Anthropic, "google": Gemini, "vertex": Gemini, "vertexai": Gemini, "google-genai": Gemini,
	"bedrock": BedrockConverse, "converse": BedrockConverse, "aws": BedrockConverse, "amazon": BedrockConverse,
}

// Parse returns the provider with a name. The error lists the providers, and suggests the most similar one.
func Parse(name string) (Provider, error) {
	if slices.Contains(All(), Provider(name)) {
		return Provider(name), nil
	}
	meant := ""
	if p, ok := spoken[strings.ToLower(name)]; ok {
		meant = fmt.Sprintf(", perhaps %s", p)
		if strings.EqualFold(name, "openai") {
			meant = fmt.Sprintf(", perhaps %s or %s", OpenAIChat, OpenAIResponses)
		}
	}
	return "", fmt.Errorf("unknown provider %s%s: use one of %s", finding.Quote(name), meant, Names())
}

// Names returns the names of the providers, separated by commas.
func Names() string {
	var names []string
	for _, p := range All() {
		names = append(names, string(p))
	}
	return strings.Join(names, ", ")
}
