package main

import (
	"encoding/json"
	"path"
	"strings"
)

// readStar reads dialogues of RasaHQ/STAR: dialogues/N.json, a list of events. With tools, the
// wizard's queries are calls; the facts are their arguments, and the parts of a result that the
// wizard chose and said. Without tools, the calls are left out and the labels kept.
func readStar(tools bool) func(*snapshot, func(*conversation)) error {
	return func(s *snapshot, emit func(*conversation)) error {
		files, err := s.files("dialogues", ".json")
		if err != nil {
			return err
		}
		for _, file := range files {
			data, err := s.read(file)
			if err != nil {
				return err
			}
			var dialogue struct{ Events []starEvent }
			if err := json.Unmarshal(data, &dialogue); err != nil {
				return err
			}
			c := &conversation{id: path.Base(file)}
			for i, e := range dialogue.Events {
				e.add(c, dialogue.Events[i+1:], tools)
			}
			emit(c)
		}
		return nil
	}
}

type starEvent struct {
	Agent, Action, Text, APIName string
	Constraints                  []map[string]string
	Item, PrimaryItem            map[string]any
}

// add adds an event to the conversation; the events after it have its result.
func (e *starEvent) add(c *conversation, after []starEvent, tools bool) {
	switch {
	case e.Agent == "User" && e.Action == "utter":
		c.say("user", e.Text)
	case e.Agent == "Wizard" && (e.Action == "utter" || e.Action == "pick_suggestion"):
		c.say("assistant", e.Text)
		delete(e.PrimaryItem, "APIName")
		c.labelAnswers(leaves(e.PrimaryItem), e.Text)
	case e.Action == "query":
		arguments := map[string]string{}
		for _, constraint := range e.Constraints {
			for name, value := range constraint {
				exact, ok := starValue(value)
				arguments[name] = exact
				if ok {
					c.label("argument", exact)
				}
			}
		}
		if !tools {
			return
		}
		result := map[string]any(nil)
		if len(after) > 0 && after[0].Action == "return_item" {
			result = after[0].Item
			delete(result, "APIName")
		}
		c.use(e.APIName, arguments, compact(result))
	}
}

// starValue returns the value within a constraint, such as "Jane" or api.is_equal_to("Jane"), and
// whether it is one value.
func starValue(constraint string) (string, bool) {
	exact := strings.TrimSuffix(strings.TrimPrefix(constraint, "api.is_equal_to("), ")")
	if !strings.HasPrefix(constraint, "api.is_equal_to(") {
		exact = constraint
	}
	var text string
	if json.Unmarshal([]byte(exact), &text) == nil {
		return text, true
	}
	return exact, !strings.HasPrefix(exact, "api.")
}
