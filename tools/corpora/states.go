package main

import (
	"archive/zip"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// The functions below read corpora whose labels are the state of a dialogue: the last value of a
// slot is the fact.

// readSimulated reads one half of M2M, folder/{train,dev,test}.json, as far as the snapshot contains
// it.
func readSimulated(folder string) func(*snapshot, func(*conversation)) error {
	return func(s *snapshot, emit func(*conversation)) error {
		files, err := s.files(folder, ".json")
		if err != nil {
			return err
		}
		for _, file := range files {
			var dialogues []struct {
				ID    string `json:"dialogue_id"`
				Turns []struct {
					State  []struct{ Slot, Value string } `json:"dialogue_state"`
					User   struct{ Text string }          `json:"user_utterance"`
					System struct{ Text string }          `json:"system_utterance"`
				}
			}
			if present, err := s.decode(file, &dialogues); err != nil || !present {
				if err != nil {
					return err
				}
				continue
			}
			for _, d := range dialogues {
				c := &conversation{id: file + d.ID}
				for i, t := range d.Turns {
					c.say("assistant", t.System.Text)
					c.say("user", t.User.Text)
					if i == len(d.Turns)-1 {
						for _, slot := range t.State {
							c.label(slot.Slot, slot.Value)
						}
					}
				}
				emit(c)
			}
		}
		return nil
	}
}

// decode reads a JSON file into v. It reports whether the snapshot contains it.
func (s *snapshot) decode(file string, v any) (bool, error) {
	data, err := s.read(file)
	if err != nil {
		if errors.Is(err, errAbsent) {
			return false, nil
		}
		return false, err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return true, fmt.Errorf("%s: %w", file, err)
	}
	return true, nil
}

// readCamRest reads CamRest676 in the form of the repository.
func readCamRest(s *snapshot, emit func(*conversation)) error {
	var dialogues []struct {
		Dial []struct {
			Usr struct {
				Transcript string
				Slu        []struct {
					Act   string
					Slots [][]string
				}
			}
			Sys struct{ Sent string }
		}
	}
	if _, err := s.decode("data/CamRest676/CamRest676.json", &dialogues); err != nil {
		return err
	}
	for i, d := range dialogues {
		c := &conversation{id: fmt.Sprint(i)}
		for _, t := range d.Dial {
			c.say("user", t.Usr.Transcript)
			c.say("assistant", t.Sys.Sent)
			for _, act := range t.Usr.Slu {
				for _, slot := range act.Slots {
					if act.Act == "inform" && len(slot) == 2 {
						c.label(slot[0], slot[1])
					}
				}
			}
		}
		emit(c)
	}
	return nil
}

// readWoz2 reads WOZ 2.0 in one of its languages, data/woz/woz_SPLIT+suffix.json.
func readWoz2(suffix string) func(*snapshot, func(*conversation)) error {
	return func(s *snapshot, emit func(*conversation)) error {
		for _, split := range []string{"train", "validate", "test"} {
			var dialogues []beliefDialogue
			if _, err := s.decode("data/woz/woz_"+split+suffix+".json", &dialogues); err != nil {
				return err
			}
			for _, d := range dialogues {
				emit(d.conversation())
			}
		}
		return nil
	}
}

// readHdrs reads the Hindi corpus HDRS, an archive of files in the form of WOZ 2.0.
func readHdrs(s *snapshot, emit func(*conversation)) error {
	data, err := s.read("HDRS_Corpus.zip")
	if err != nil {
		return err
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	for _, file := range archive.File {
		if !strings.HasSuffix(file.Name, "_hin.json") {
			continue
		}
		r, err := file.Open()
		if err != nil {
			return err
		}
		data, err := io.ReadAll(r)
		if err != nil {
			return err
		}
		var dialogues []beliefDialogue
		if err := json.Unmarshal(data, &dialogues); err != nil {
			return fmt.Errorf("%s: %w", file.Name, err)
		}
		for _, d := range dialogues {
			emit(d.conversation())
		}
	}
	return nil
}

type beliefDialogue struct {
	ID       int `json:"dialogue_idx"`
	Dialogue []struct {
		System string `json:"system_transcript"`
		User   string `json:"transcript"`
		Belief []struct {
			Act   string
			Slots [][]string
		} `json:"belief_state"`
	}
}

func (d *beliefDialogue) conversation() *conversation {
	c := &conversation{id: fmt.Sprint(d.ID)}
	for i, t := range d.Dialogue {
		c.say("assistant", t.System)
		c.say("user", t.User)
		for _, act := range t.Belief {
			for _, slot := range act.Slots {
				if i == len(d.Dialogue)-1 && act.Act == "inform" && len(slot) == 2 {
					c.label(slot[0], slot[1])
				}
			}
		}
	}
	return c
}
