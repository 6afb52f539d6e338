package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

// readMixed reads one language of the code-mixed DSTC2 dialogues: lines of "N user\tbot", where
// lines with the result follow a bot's "api_call …".
func readMixed(language string) func(*snapshot, func(*conversation)) error {
	return func(s *snapshot, emit func(*conversation)) error {
		for _, split := range []string{"trn", "dev", "tst"} {
			file := "data/" + language + "/dialog-dstc2-" + split + ".txt"
			data, err := s.read(file)
			if err != nil {
				return err
			}
			for i, dialogue := range strings.Split(string(data), "\n\n") {
				emit(mixedDialogue(fmt.Sprint(file, i), dialogue))
			}
		}
		return nil
	}
}

func mixedDialogue(id, dialogue string) *conversation {
	c := &conversation{id: id}
	var arguments map[string]string // of the call whose result is being read
	var result, known []string
	finish := func() {
		if arguments != nil {
			c.use("find_restaurants", arguments, strings.Join(result, "\n"))
		}
		arguments, result = nil, nil
	}
	for line := range strings.SplitSeq(dialogue, "\n") {
		_, line, _ = strings.Cut(line, " ")
		user, bot, said := strings.Cut(line, "\t")
		if !said {
			result = append(result, line)
			if fields := strings.Fields(line); len(fields) == 3 {
				known = append(known, fields[0], fields[2])
			}
			continue
		}
		finish()
		if user != "<SILENCE>" {
			c.say("user", user)
		}
		rest, isCall := strings.CutPrefix(bot, "api_call ")
		if !isCall {
			c.say("assistant", bot)
			c.labelAnswers(known, bot)
			continue
		}
		arguments = map[string]string{}
		for i, value := range strings.Fields(rest) {
			if !strings.HasPrefix(value, "R_") && i < 3 {
				arguments[[]string{"cuisine", "location", "price"}[i]] = value
				c.label("argument", value)
			}
		}
	}
	finish()
	return c
}

// readRisawoz reads the few-shot part of X-RiSAWOZ in one language. The output of the database is
// the result of a call; facts are the last state and the values that the system reported.
func readRisawoz(language string) func(*snapshot, func(*conversation)) error {
	return func(s *snapshot, emit func(*conversation)) error {
		var dialogues []struct {
			ID       string `json:"dialogue_id"`
			Dialogue []risawozTurn
		}
		if _, err := s.decode("dialogues/risawoz/data/original/"+language+"_fewshot.json", &dialogues); err != nil {
			return err
		}
		for _, d := range dialogues {
			c := &conversation{id: d.ID}
			for i, t := range d.Dialogue {
				t.add(c, i == len(d.Dialogue)-1)
			}
			emit(c)
		}
		return nil
	}
}

type risawozTurn struct {
	User    any `json:"user_utterance"`
	System  any `json:"system_utterance"`
	Results any `json:"db_results"`
	State   struct {
		Slots map[string]any `json:"inform slot-values"`
	} `json:"belief_state"`
	Actions [][]string `json:"system_actions"`
}

func (t *risawozTurn) add(c *conversation, last bool) {
	c.say("user", utterance(t.User))
	if results, _ := t.Results.([]any); len(results) > 0 {
		c.use("search", t.State.Slots, compact(results))
	}
	c.say("assistant", utterance(t.System))
	for _, action := range t.Actions {
		if len(action) == 4 && action[0] == "Inform" {
			c.label(action[2], action[3])
		}
	}
	if last {
		for _, slot := range sortedNames(t.State.Slots) {
			for _, value := range leaves(t.State.Slots[slot]) {
				c.label(slot, value)
			}
		}
	}
}

// utterance returns a text that is a string, or the first element of a list before its spans.
func utterance(v any) string {
	if list, ok := v.([]any); ok && len(list) > 0 {
		v = list[0]
	}
	text, _ := v.(string)
	return text
}

// readMultidogo reads one domain of MultiDoGO: the annotated turns, which are the customer's only.
// Facts are the spans with a slot.
func readMultidogo(domain string) func(*snapshot, func(*conversation)) error {
	return func(s *snapshot, emit func(*conversation)) error {
		for _, split := range []string{"train", "dev", "test"} {
			data, err := s.read("data/paper_splits/splits_annotated_at_turn_level/" + domain + "/" + split + ".tsv")
			if err != nil {
				return err
			}
			byID := map[string]*conversation{}
			for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
				columns := strings.Split(line, "\t")
				if i == 0 || len(columns) < 6 {
					continue
				}
				c := byID[columns[0]]
				if c == nil {
					c = &conversation{id: columns[0]}
					byID[columns[0]] = c
				}
				c.say("user", columns[3])
				c.labelSpans(strings.Fields(columns[3]), strings.Fields(columns[4]))
			}
			for _, id := range sortedNames(byID) {
				emit(byID[id])
			}
		}
		return nil
	}
}

// labelSpans labels the spans marked by tags of the form O, B-slot, I-slot or slot.
func (c *conversation) labelSpans(words, tags []string) {
	var span []string
	var slot string
	end := func() {
		if len(span) > 0 {
			c.label(slot, strings.Join(span, " "))
		}
		span = nil
	}
	for i, tag := range tags {
		if i >= len(words) {
			break
		}
		name := strings.TrimPrefix(strings.TrimPrefix(tag, "B-"), "I-")
		if strings.HasPrefix(tag, "B-") || name != slot {
			end()
		}
		if slot = name; name != "O" {
			span = append(span, words[i])
		}
	}
	end()
}

// readKdConv reads KdConv: talks about films, music and travel, each turn with its part of the
// knowledge graph. Short attributes are the facts.
func readKdConv(s *snapshot, emit func(*conversation)) error {
	for _, domain := range []string{"film", "music", "travel"} {
		for _, split := range []string{"train", "dev", "test"} {
			file := "data/" + domain + "/" + split + ".json"
			var dialogues []struct {
				Messages []struct {
					Message string
					Attrs   []struct{ AttrName, AttrValue string }
				}
			}
			if _, err := s.decode(file, &dialogues); err != nil {
				return err
			}
			for i, d := range dialogues {
				c := &conversation{id: fmt.Sprint(file, i)}
				for n, m := range d.Messages {
					c.say([]string{"user", "assistant"}[n%2], m.Message)
					for _, a := range m.Attrs {
						c.label(a.AttrName, a.AttrValue)
					}
				}
				emit(c)
			}
		}
	}
	return nil
}

// readASDC reads the talks about hotels of ASDC. Its labels are queries such as "宿泊日数は1泊" that
// annotators wrote for the customer's wishes: name, は, value.
func readASDC(s *snapshot, emit func(*conversation)) error {
	files, err := s.files("data/main/dialog/json", ".json")
	if err != nil {
		return err
	}
	for _, file := range files {
		var d struct {
			Utterances []struct{ Name, Text string }
		}
		if _, err := s.decode(file, &d); err != nil {
			return err
		}
		c := &conversation{id: file}
		for _, u := range d.Utterances {
			role := "user"
			if strings.HasPrefix(u.Name, "operator") {
				role = "assistant"
			}
			c.say(role, u.Text)
		}
		base := strings.TrimSuffix(path.Base(file), ".json")
		data, err := s.read("data/main/scud/" + base[strings.LastIndex(base, ".")+1:] + ".jsonl")
		if err != nil {
			return err
		}
		for line := range bytes.Lines(data) {
			var scud struct{ Queries []string }
			if err := json.Unmarshal(line, &scud); err != nil {
				return err
			}
			for _, query := range scud.Queries {
				if name, value, ok := strings.Cut(query, "は"); ok {
					c.label(name, value)
				}
			}
		}
		emit(c)
	}
	return nil
}
