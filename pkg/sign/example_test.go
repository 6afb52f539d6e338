package sign_test

import (
	"errors"
	"fmt"
	"strings"

	"github.com/eaapl/handoff/pkg/message"
	"github.com/eaapl/handoff/pkg/sign"
)

// A message that was changed after signing does not verify.
func Example() {
	keys, err := sign.ParseKeys([]byte(`{"kty":"oct","kid":"team","k":"AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := message.Parse([]byte(`{"handoffId": "h-1", "taskDescription": "review"}`), message.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	signed, err := sign.Sign(m, keys[0], false)
	if err != nil {
		fmt.Println(err)
		return
	}
	verifier, err := sign.NewVerifier(keys)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, text := range []string{string(signed), strings.Replace(string(signed), "review", "deploy", 1)} {
		m, err := message.Parse([]byte(text), message.Options{})
		if err != nil {
			fmt.Println(err)
			return
		}
		key, err := verifier.Verify(m)
		if fault := (*sign.Error)(nil); errors.As(err, &fault) {
			fmt.Println("no:", fault.Reason)
			continue
		}
		fmt.Println("yes:", key.ID)
	}
	// Output:
	// yes: team
	// no: mismatch
}
