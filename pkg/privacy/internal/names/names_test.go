package names

import "testing"

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		word string
		want Kinds
	}{
		{"michael", First | Last | Popular},
		{"müller", Last},
		{"the", Word},
		{"xqzzt", 0},
		{"иван", First},
	} {
		if got := Of(tt.word); got&^Place != tt.want {
			t.Errorf("Of(%s) = %b, want %b", tt.word, got, tt.want)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	for b.Loop() {
		Of("michael")
	}
}

func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		load()
	}
}
