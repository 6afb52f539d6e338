package command

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/summarize"
)

// UsageLine is the prefix of a line of standard error that reports the cost of the summary as a JSON
// object: {"promptTokens": 1200, "completionTokens": 150, "costUSD": 0.00042, "model":
// "gpt-5-mini"}, all members optional. If there are several such lines, the last wins.
const UsageLine = "handoff-usage: "

// usage is the JSON object of such a line.
type usage struct {
	summarize.Usage
	err error
}

func (u *usage) read(text string) {
	var said struct {
		PromptTokens     int         `json:"promptTokens"`
		CompletionTokens int         `json:"completionTokens"`
		CostUSD          json.Number `json:"costUSD"`
		Model            string      `json:"model"`
	}
	*u = usage{}
	d := json.NewDecoder(strings.NewReader(text))
	d.DisallowUnknownFields()
	switch err := d.Decode(&said); {
	case err != nil:
		u.err = fmt.Errorf("wrote a line %sthat is invalid: %w", UsageLine, err)
	case said.PromptTokens < 0 || said.CompletionTokens < 0 || strings.HasPrefix(said.CostUSD.String(), "-"):
		u.err = fmt.Errorf("wrote a line %swith a number below 0", UsageLine)
	default:
		u.Usage = summarize.Usage{PromptTokens: said.PromptTokens, CompletionTokens: said.CompletionTokens, CostUSD: said.CostUSD.String(), Model: said.Model}
	}
}
