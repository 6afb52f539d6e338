package session_test

import (
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/session"
)

func Example() {
	text := `{"uuid":"a","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","content":"Fix the test."}}
{"uuid":"b","parentUuid":"a","sessionId":"s","type":"assistant","message":{"role":"assistant","id":"m1","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"/work/a_test.go"}}]}}
{"uuid":"c","parentUuid":"b","sessionId":"s","type":"user","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"updated"}]}}
{"uuid":"d","parentUuid":"c","sessionId":"s","type":"assistant","message":{"role":"assi`
	s, err := session.Read(strings.NewReader(text), int64(len(text)), session.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, turn := range s.Turns {
		fmt.Println(turn.Role, turn.Text, len(turn.Calls))
	}
	fmt.Println(s.Files[0].Path, s.Open)
	fmt.Println(s.Damage[0].Line, s.Damage[0].Problem)
	// Output:
	// user Fix the test. 0
	// assistant  1
	// tool updated 0
	// /work/a_test.go true
	// 4 cut off: the session ended while the line was written
}
