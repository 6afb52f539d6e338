package chat

import (
	"encoding/json"

	"github.com/eaapl/handoff/internal/webpost"
)

// A question is the body of a request for a chat completion.
type question struct {
	Messages            []chatMessage `json:"messages"`
	Model               string        `json:"model"`
	MaxCompletionTokens int           `json:"max_completion_tokens,omitzero"`
	MaxTokens           int           `json:"max_tokens,omitzero"` // the older name of it
}

// A chatMessage is one message of a question.
type chatMessage struct {
	Content string `json:"content"`
	Role    string `json:"role"`
}

// An answer is the part of a chat completion that this package uses.
type answer struct {
	text               string
	isText             bool   // the content is a string, or there is none
	refusal            string // the model's reason for not answering, "" if it answers
	finish             string
	prompt, completion int64 // the tokens used, 0 if not reported
}

// readAnswer reads the chat completion in an answer, nil if it is not one.
func readAnswer(x webpost.Answer) *answer {
	if x.Failure != "" || x.Status < 200 || x.Status > 299 || len(x.Body) > webpost.MaxAnswer {
		return nil
	}
	var completion struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Message      struct {
				Content json.RawMessage `json:"content"`
				Refusal string          `json:"refusal"`
			} `json:"message"`
		} `json:"choices"`
		Usage json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(x.Body, &completion) != nil || len(completion.Choices) == 0 {
		return nil
	}
	choice := completion.Choices[0]
	a := &answer{refusal: choice.Message.Refusal, finish: choice.FinishReason}
	a.isText = len(choice.Message.Content) == 0 || json.Unmarshal(choice.Message.Content, &a.text) == nil
	var usage struct {
		Prompt     int64 `json:"prompt_tokens"`
		Completion int64 `json:"completion_tokens"`
	}
	if json.Unmarshal(completion.Usage, &usage) == nil { // otherwise the tokens are counted
		a.prompt, a.completion = usage.Prompt, usage.Completion
	}
	return a
}
