package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
)

// readAPIBank reads the samples of API-Bank: one dialogue per file, one turn per line.
func readAPIBank(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("api-bank/lv1-lv2-samples", ".jsonl")
	if err != nil {
		return err
	}
	for _, file := range files {
		data, err := s.read(file)
		if err != nil {
			return err
		}
		c := &conversation{id: file}
		var results []string
		for line := range bytes.Lines(data) {
			var t struct {
				Role, Text string
				API        string         `json:"api_name"`
				Arguments  map[string]any `json:"param_dict"`
				Result     struct{ Output, Exception any }
			}
			if err := json.Unmarshal(line, &t); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
			switch t.Role {
			case "User":
				c.say("user", t.Text)
			case "AI":
				c.say("assistant", t.Text)
				c.labelAnswers(results, t.Text)
			case "API":
				c.use(t.API, t.Arguments, compact(map[string]any{"output": t.Result.Output, "exception": t.Result.Exception}))
				c.labelArguments(t.Arguments)
				results = append(results, leaves(t.Result.Output)...)
			}
		}
		emit(c)
	}
	return nil
}

// readFunctionChat reads the dialogues of FunctionChat-Bench: the last turn's query and its correct
// answer contain the whole dialogue.
func readFunctionChat(s *snapshot, emit func(*conversation)) error {
	type message struct {
		Role    string
		Content string
		Name    string
		Calls   []struct {
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	data, err := s.read("data/FunctionChat-Dialog.jsonl")
	if err != nil {
		return err
	}
	for line := range bytes.Lines(data) {
		var d struct {
			Number int `json:"dialog_num"`
			Turns  []struct {
				Query []message
				Right message `json:"ground_truth"`
			}
		}
		if err := json.Unmarshal(line, &d); err != nil {
			return err
		}
		c := &conversation{id: fmt.Sprint(d.Number)}
		last := d.Turns[len(d.Turns)-1]
		messages := append(last.Query, last.Right)
		var results []string
		for i, m := range messages {
			switch {
			case m.Role == "tool": // added with its call
			case len(m.Calls) > 0:
				for n, call := range m.Calls {
					var arguments any
					if json.Unmarshal([]byte(call.Function.Arguments), &arguments) != nil {
						arguments = call.Function.Arguments
					}
					c.labelArguments(arguments)
					result := ""
					if at := i + 1 + n; at < len(messages) && messages[at].Role == "tool" {
						result = messages[at].Content
					}
					c.use(call.Function.Name, arguments, result)
					var decoded any
					if json.Unmarshal([]byte(result), &decoded) == nil {
						results = append(results, leaves(decoded)...)
					}
				}
			default:
				c.say(m.Role, m.Content)
				if m.Role == "assistant" {
					c.labelAnswers(results, m.Content)
				}
			}
		}
		emit(c)
	}
	return nil
}

// readToolTalk reads ToolTalk: the calls of a turn come before the assistant's text.
func readToolTalk(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("data/tooltalk", ".json")
	if err != nil {
		return err
	}
	for _, file := range files {
		var d struct {
			Conversation []struct {
				Role, Text string
				APIs       []struct {
					Request struct {
						Name       string `json:"api_name"`
						Parameters map[string]any
					}
					Response, Exception any
				}
			}
		}
		if _, err := s.decode(file, &d); err != nil {
			return err
		}
		c := &conversation{id: path.Base(file)}
		var results []string
		for _, t := range d.Conversation {
			for _, api := range t.APIs {
				c.use(api.Request.Name, api.Request.Parameters, compact(map[string]any{"response": api.Response, "exception": api.Exception}))
				delete(api.Request.Parameters, "session_token")
				c.labelArguments(api.Request.Parameters)
				results = append(results, leaves(api.Response)...)
			}
			c.say(t.Role, t.Text)
			if t.Role == "assistant" {
				c.labelAnswers(results, t.Text)
			}
		}
		emit(c)
	}
	return nil
}

// readToolBench reads the example answers of ToolBench: a query, calls to real services with their
// results, and the final answer, along the last path taken.
func readToolBench(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("data_example/answer", ".json")
	if err != nil {
		return err
	}
	for _, file := range files {
		var d struct {
			Answer struct {
				Paths [][]toolMessage `json:"train_messages"`
			} `json:"answer_generation"`
		}
		if _, err := s.decode(file, &d); err != nil {
			return err
		}
		if len(d.Answer.Paths) > 0 {
			c := &conversation{id: file}
			messages := d.Answer.Paths[len(d.Answer.Paths)-1]
			for i, m := range messages {
				m.add(c, messages[i+1:])
			}
			emit(c)
		}
	}
	return nil
}

// A toolMessage is a message in the first form of OpenAI's API.
type toolMessage struct {
	Role, Content string
	Call          *struct{ Name, Arguments string } `json:"function_call"`
}

// add adds the message to the conversation, and after a call its result.
func (m *toolMessage) add(c *conversation, after []toolMessage) {
	if m.Role == "user" || m.Role == "assistant" {
		c.say(m.Role, m.Content)
	}
	if m.Call == nil {
		return
	}
	var arguments map[string]any
	if json.Unmarshal([]byte(m.Call.Arguments), &arguments) != nil {
		return
	}
	if m.Call.Name == "Finish" {
		answer, _ := arguments["final_answer"].(string)
		c.say("assistant", answer)
		return
	}
	result := ""
	if len(after) > 0 && after[0].Role == "function" {
		result = after[0].Content
	}
	c.use(m.Call.Name, arguments, result)
	c.labelArguments(arguments)
}
