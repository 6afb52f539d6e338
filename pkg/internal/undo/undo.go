// Package undo records how to restore the original of a changed text, byte for byte.
package undo

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"unicode/utf8"
)

// A Change restores a text: it has the original bytes between an unchanged beginning and end.
type Change struct {
	Original string `json:"original"` // SHA-256 of the original text, as returned by [Sum]
	Prefix   int    `json:"prefix"`   // length of the common prefix
	Suffix   int    `json:"suffix"`   // length of the common suffix
	Text     string `json:"text,omitzero"`
	Base64   string `json:"base64,omitzero"` // in place of Text, if not UTF-8
}

// Sum returns the SHA-256 of a text, in lower-case hexadecimal.
func Sum(text []byte) string {
	digest := sha256.Sum256(text)
	return hex.EncodeToString(digest[:])
}

// Of returns the change from before to after.
func Of(before, after []byte) Change {
	c := Change{Original: Sum(before)}
	shorter := min(len(before), len(after))
	for c.Prefix < shorter && before[c.Prefix] == after[c.Prefix] {
		c.Prefix++
	}
	for c.Suffix < shorter-c.Prefix && before[len(before)-1-c.Suffix] == after[len(after)-1-c.Suffix] {
		c.Suffix++
	}
	c.keep(before[c.Prefix : len(before)-c.Suffix])
	return c
}

// OfCut is [Of] for a text cut after its first kept bytes; sum is the sum of the original.
func OfCut(sum string, kept int, cut []byte) Change {
	c := Change{Original: sum, Prefix: kept}
	c.keep(cut)
	return c
}

// keep sets the removed bytes.
func (c *Change) keep(middle []byte) {
	if utf8.Valid(middle) {
		c.Text = string(middle)
	} else {
		c.Base64 = base64.StdEncoding.EncodeToString(middle)
	}
}

// Undo returns the original text. It returns an error if the change does not fit after.
func (c Change) Undo(after []byte) ([]byte, error) {
	middle := []byte(c.Text)
	if c.Base64 != "" {
		var err error
		if middle, err = base64.StdEncoding.DecodeString(c.Base64); err != nil {
			return nil, fmt.Errorf("the archive was changed: %w", err)
		}
	}
	if c.Prefix < 0 || c.Suffix < 0 || c.Prefix > len(after) || c.Suffix > len(after)-c.Prefix {
		return nil, errors.New("the archive was changed: it refers to bytes beyond the end of the message")
	}
	before := make([]byte, 0, c.Prefix+len(middle)+c.Suffix)
	before = append(append(append(before, after[:c.Prefix]...), middle...), after[len(after)-c.Suffix:]...)
	if Sum(before) != c.Original {
		return nil, fmt.Errorf("the archive was changed: its contents do not have the sha256 %s", c.Original)
	}
	return before, nil
}
