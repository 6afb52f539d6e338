package chunked

import (
	"fmt"
	"testing"
)

func BenchmarkSplit(b *testing.B) {
	for _, signed := range []bool{false, true} {
		b.Run(fmt.Sprintf("signed=%v", signed), func(b *testing.B) {
			m := longMessage(b, 4<<20)
			o := SplitOptions{}
			if signed {
				o.Key = secret(b, "k")
			}
			b.SetBytes(int64(len(m.Raw())))
			for b.Loop() {
				if err := NewSplitter(o).Split(m, func([]byte) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkAssemble(b *testing.B) {
	for _, signed := range []bool{false, true} {
		b.Run(fmt.Sprintf("signed=%v", signed), func(b *testing.B) {
			m := longMessage(b, 4<<20)
			var o SplitOptions
			var a AssemblerOptions
			if signed {
				o.Key = secret(b, "k")
				a.Validate.Verifier = verifier(b, o.Key)
			}
			chunks := split(b, m, 0, o)
			b.SetBytes(int64(len(m.Raw())))
			for b.Loop() {
				if events := add(b, NewAssembler(a), chunks...); events[len(events)-1].Kind != Completed {
					b.Fatal(shown(events))
				}
			}
		})
	}
}
