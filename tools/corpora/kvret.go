package main

import (
	"encoding/json"
	"fmt"
)

// readKvret reads dialogues in the form of KVRET, between a driver and the car's assistant; its
// knowledge base becomes the result of a call before the assistant's first turn. Facts are the
// slots, and the values of the knowledge base that the assistant repeats.
func readKvret(files ...string) func(*snapshot, func(*conversation)) error {
	return func(s *snapshot, emit func(*conversation)) error {
		for _, file := range files {
			data, err := s.read(file)
			if err != nil {
				return err
			}
			var dialogues []kvretDialogue
			if err := json.Unmarshal(data, &dialogues); err != nil {
				return err
			}
			for i := range dialogues {
				emit(dialogues[i].conversation(fmt.Sprint(file, i)))
			}
		}
		return nil
	}
}

type kvretDialogue struct {
	Dialogue []struct {
		Turn string
		Data struct {
			Utterance string
			Slots     map[string]any
		}
	}
	Scenario struct {
		KB struct {
			Items []map[string]any
			Title string `json:"kb_title"`
		}
	}
}

func (d *kvretDialogue) conversation(id string) *conversation {
	c := &conversation{id: id}
	var known []string
	for _, item := range d.Scenario.KB.Items {
		known = append(known, leaves(item)...)
	}
	for _, t := range d.Dialogue {
		if t.Turn == "driver" {
			c.say("user", t.Data.Utterance)
			continue
		}
		if c.calls == 0 && len(known) > 0 {
			c.use("look_up", map[string]string{"table": d.Scenario.KB.Title}, compact(d.Scenario.KB.Items))
		}
		c.say("assistant", t.Data.Utterance)
		for _, slot := range sortedNames(t.Data.Slots) {
			for _, value := range leaves(t.Data.Slots[slot]) {
				c.label(slot, value)
			}
		}
		c.labelAnswers(known, t.Data.Utterance)
	}
	return c
}
