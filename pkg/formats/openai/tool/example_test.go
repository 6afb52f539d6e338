package tool_test

import (
	"fmt"

	"github.com/eaapl/handoff/pkg/formats/openai/tool"
)

// ExampleSDK_ToolName returns the name of the tool with which a model hands over.
func ExampleSDK_ToolName() {
	fmt.Println(tool.Python.ToolName("Billing agent"))
	// Output: transfer_to_billing_agent
}
