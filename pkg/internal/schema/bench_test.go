package schema

import "testing"

// BenchmarkRun measures the time of one document.
func BenchmarkRun(b *testing.B) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) {
			root := parse(b, s.example).Root()
			r, _ := s.compile(b)
			b.SetBytes(int64(len(s.example)))
			b.ReportAllocs()
			for b.Loop() {
				if !r.Valid(root) {
					b.Fatal("not valid")
				}
			}
		})
	}
}

func BenchmarkCompile(b *testing.B) {
	for _, s := range subjects(b) {
		b.Run(s.name, func(b *testing.B) {
			schema := parse(b, s.schema)
			o := options()
			o.Load = loadOurs
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Compile(s.url, schema, o); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
