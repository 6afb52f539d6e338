package textscan

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// readBytewise is [ReadBlock] byte by byte.
func readBytewise(text string, at int, classes *Classes) (b Block) {
	for i := at; i < min(at+BlockLen, len(text)); i++ {
		bit := uint64(1) << (i - at)
		switch c := text[i]; {
		case c|0x20-'a' < 26:
			b.Letters |= bit
		case c-'0' < 10:
			b.Digits |= bit
		default:
			if classes.of[c]&isMark != 0 {
				b.Marks |= bit
			}
			if classes.of[c]&isJoint != 0 {
				b.Joints |= bit
			}
		}
	}
	return b
}

func TestReadBlock(t *testing.T) {
	others := []string{"", `\`, " ", `"`, ",", ".", ":", ",.:;#'", "+/_-{}"}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune(` ",.:azAZ09@[/{}-_+`)))).Draw(t, "text")
		text += string(rapid.SliceOfN(rapid.Byte(), 0, 2*BlockLen).Draw(t, "bytes"))
		classes := NewClasses("%&\\<]!=\x01\xc3"+rapid.SampledFrom(others).Draw(t, "others"), "+-/_")
		for at := 0; at <= len(text)+BlockLen; at += rapid.IntRange(1, BlockLen).Draw(t, "step") {
			if diff := cmp.Diff(readBytewise(text, at, classes), ReadBlock(text, at, classes)); diff != "" {
				t.Fatalf("%q at %d: -want +got:\n%s", text, at, diff)
			}
		}
	})
}

// Every byte is classified correctly at every place of a block.
func TestReadBlockBytes(t *testing.T) {
	classes := NewClasses("%&<@\x80", "+-/_")
	for c := range 256 {
		for n := range BlockLen {
			text := strings.Repeat(" ", n) + string([]byte{byte(c)}) + strings.Repeat(" ", BlockLen-1-n)
			if diff := cmp.Diff(readBytewise(text, 0, classes), ReadBlock(text, 0, classes)); diff != "" {
				t.Fatalf("%q: -want +got:\n%s", text, diff)
			}
		}
	}
}
