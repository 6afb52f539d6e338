package view

import (
	"strings"
	"testing"
)

// Ordinary texts, as in the messages of agents.
var ordinaryTexts = map[string]string{
	"prose": `The team met on Tuesday to go over the plan for the next release. Most of the open
questions were about the migration: who owns it, when it starts, and what happens to the
old records in the meantime. Anna will write up the options (there are three, she says)
and send them round before the end of the week; after that we decide. It isn't urgent.
`,
	"accented": `Die Prüfung der Übertragung läuft noch – das Ergebnis kommt „bald“. Le café est près
de l’école ; où êtes-vous allés hier ? El niño pequeño comió una piña — ¿verdad? 🎉 👍🏽
`,
	"russian": `Команда встретилась во вторник, чтобы обсудить план следующего выпуска. Большинство
вопросов касалось переноса данных: кто отвечает за него и когда он начнётся.
`,
	"chinese": `团队星期二开会讨论了下一个版本的计划。大多数问题与数据迁移有关：谁负责、什么时候开始，
以及在此期间如何处理旧记录。安娜将在周末之前写出方案。
`,
	"code": `func (s *Server) handleRequest(ctx context.Context, req *http.Request) (*Response, error) {
	if req.ContentLength > s.options.MaxRequestSize {
		return nil, fmt.Errorf("request of %d bytes: %w", req.ContentLength, ErrTooLarge)
	}
	for i := 0; i < len(s.handlers); i++ {
		if h := s.handlers[i]; h.matches(req.URL.Path) && !h.disabled {
			return h.serve(ctx, req) // see internal/router/match.go
		}
	}
	return nil, ErrNotFound
}
`,
	"tool output": `{"id":"7f9c24e8-3b12-4d0a-9c51-2f6a1e8b7d30","status":"ok","started":"2026-03-14T09:26:53.589Z",
"path":"/srv/app/releases/2026-03-14/node_modules/react-dom/cjs/react-dom.production.min.js",
"sha256":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","size":128734,
"commit":"3f2a9bd1c0e8","tags":["v1.4.2","utf8","linux-amd64"],"owner":"ops@example.com"}
PASS ok example.com/app/internal/storage 0.412s coverage: 81.3% of statements
`,
}

func BenchmarkPlain(b *testing.B) {
	for name, text := range ordinaryTexts {
		text := strings.Repeat(text, 1+(64<<10)/len(text))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if !Plain(text) {
					b.Fatalf("%s is not plain: %016b", name, look(text, 0))
				}
			}
		})
	}
}
