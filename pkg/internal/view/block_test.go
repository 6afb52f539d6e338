package view

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readBytewise is [ReadBlock] byte by byte.
func readBytewise(text string, at int, marks *Marks) (b Block) {
	for i := at; i < min(at+BlockLen, len(text)); i++ {
		bit := uint64(1) << (i - at)
		switch c := text[i]; {
		case isLetter(c):
			b.Letters |= bit
		case isDigit(c):
			b.Digits |= bit
		case c != ' ' && c != '"':
			if marks.of[c]&marked != 0 {
				b.Marks |= bit
			}
			if strings.IndexByte("+-/_", c) >= 0 {
				b.Joints |= bit
			}
		}
	}
	return b
}

func TestReadBlock(t *testing.T) {
	others := []string{"", `\`, ",", ".", ":", ",.:;#'", "+/_-{}"}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune(` ",.:azAZ09@[/{}-_+`)))).Draw(t, "text")
		text += string(rapid.SliceOfN(rapid.Byte(), 0, 2*BlockLen).Draw(t, "bytes"))
		marks := NewMarks(rapid.SampledFrom(others).Draw(t, "others"))
		for at := 0; at <= len(text)+BlockLen; at += rapid.IntRange(1, BlockLen).Draw(t, "step") {
			if diff := cmp.Diff(readBytewise(text, at, marks), ReadBlock(text, at, marks)); diff != "" {
				t.Fatalf("%q at %d: -want +got:\n%s", text, at, diff)
			}
		}
	})
}

// Every byte is told apart at every place of a block.
func TestReadBlockBytes(t *testing.T) {
	marks := NewMarks("")
	for c := range 256 {
		for n := range BlockLen {
			text := strings.Repeat(" ", n) + string([]byte{byte(c)}) + strings.Repeat(" ", BlockLen-1-n)
			if diff := cmp.Diff(readBytewise(text, 0, marks), ReadBlock(text, 0, marks)); diff != "" {
				t.Fatalf("%q: -want +got:\n%s", text, diff)
			}
		}
	}
}
