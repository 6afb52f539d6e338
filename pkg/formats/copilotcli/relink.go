package copilotcli

import (
	"github.com/eaapl/handoff/pkg/format"
	"github.com/eaapl/handoff/pkg/jsonstream"
)

// relink gives new events ids of their own, and links each event after a removed or new one to the event before it.
func relink(lines []format.Line) error {
	taken, gone := map[string]bool{}, map[string]bool{}
	for _, line := range lines {
		id := line.Was.Get("id").Text()
		taken[id] = true
		if line.Was.Exists() && !line.Value.Exists() {
			gone[id] = true
		}
	}
	before, isNew := "", false
	for i, line := range lines {
		if !line.Value.Exists() || !IsEvent(line.Value) {
			continue
		}
		id, parent := line.Value.Get("id").Text(), line.Value.Get("parentId").Text()
		if !line.Was.Exists() {
			for taken[id] {
				id = format.MadeID(id)
			}
			taken[id] = true
		}
		if line.Was.Exists() && !isNew && !gone[parent] {
			before = id
			continue
		}
		link := []byte("null")
		if before != "" {
			link = format.Fill("%", before)
		}
		d := jsonstream.NewDraft(line.Value)
		for pointer, value := range map[string][]byte{"/id": format.Fill("%", id), "/parentId": link} {
			if err := d.Set(pointer, value); err != nil {
				return err
			}
		}
		doc, err := d.Document(jsonstream.Unlimited())
		if err != nil {
			return err
		}
		lines[i].Value = doc.Root()
		before, isNew = id, !line.Was.Exists()
	}
	return nil
}
