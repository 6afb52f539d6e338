package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"io"
	"path"
	"strings"
)

// readParlaMint reads debates in the TEI of ParlaMint, without their annotated copies. They have no
// labels: the sets only measure false alarms.
func readParlaMint(folder, suffix string) func(*snapshot, func(*conversation)) error {
	return func(s *snapshot, emit func(*conversation)) error {
		files, err := s.files(folder, suffix)
		if err != nil {
			return err
		}
		for _, file := range files {
			if strings.HasSuffix(file, ".ana"+suffix) {
				continue
			}
			data, err := s.read(file)
			if err != nil {
				return err
			}
			if err := parlaMintParts(path.Base(file), data, emit); err != nil {
				return fmt.Errorf("%s: %w", file, err)
			}
		}
		return nil
	}
}

// parlaMintParts emits the debate in parts; consecutive texts of a speaker are joined.
func parlaMintParts(id string, data []byte, emit func(*conversation)) error {
	d := xml.NewDecoder(bytes.NewReader(data))
	c, parts, length := &conversation{}, 0, 0
	var speaker, text string
	flush := func() {
		parts++
		c.id = fmt.Sprint(id, parts)
		emit(c)
		c, length = &conversation{}, 0
	}
	for {
		token, err := d.Token()
		if err == io.EOF {
			c.speech(speaker, text)
			flush()
			return nil
		}
		if err != nil {
			return err
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "u" {
			continue
		}
		var u struct {
			Who  string `xml:"who,attr"`
			Segs []struct {
				Text string `xml:",chardata"`
			} `xml:"seg"`
		}
		if err := d.DecodeElement(&u, &start); err != nil {
			return err
		}
		if who := strings.TrimPrefix(u.Who, "#"); who != speaker || len(text) > 4000 {
			c.speech(speaker, text)
			speaker, text = who, ""
			if length > partLength {
				flush()
			}
		}
		for _, seg := range u.Segs {
			said := strings.Join(strings.Fields(seg.Text), " ")
			text += said + "\n"
			length += len(said)
		}
	}
}
