package tool_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/openai/tool"
)

// The tool with which a model hands over.
func ExampleSDK_ToolName() {
	fmt.Println(tool.Python.ToolName("Billing agent"))
	// Output: transfer_to_billing_agent
}
