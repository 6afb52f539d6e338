#!/bin/sh
# Package:  go.temporal.io/sdk v1.51.0 (Go), with its test environment in place of a server
# Guess:    a non-retryable ApplicationError that an activity wraps with fmt.Errorf and %w is not retried, because
#           errors.As finds it. With errors.Join, the workflow gets it as a cause.
# Observed: the activity is retried, as after an error of the type "wrapError". With errors.Join, or two %w, the
#           workflow gets neither the type nor the details of the error.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export GOFLAGS=-mod=mod
go mod init example.com/finding >init 2>&1
go get go.temporal.io/sdk@v1.51.0 >get 2>&1
cat >main.go <<'GO'
package main

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"
)

func main() {
	declined := temporal.NewNonRetryableApplicationError("card declined", "Declined", nil, 17)
	for _, failure := range []error{
		declined,
		fmt.Errorf("refund: %w", declined),
		errors.Join(declined, errors.New("no log")),
		fmt.Errorf("refund: %w, %w", declined, errors.New("no log")),
	} {
		attempts := 0
		refund := func() error {
			attempts++
			return failure
		}
		pay := func(ctx workflow.Context) error {
			ctx = workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: time.Minute, RetryPolicy: &temporal.RetryPolicy{MaximumAttempts: 3}})
			err := workflow.ExecuteActivity(ctx, refund).Get(ctx, nil)
			fmt.Println("attempts:", attempts)
			for err = errors.Unwrap(err); err != nil; err = errors.Unwrap(err) {
				app := err.(*temporal.ApplicationError)
				fmt.Println("  type:", app.Type(), "non-retryable:", app.NonRetryable(), "details:", app.HasDetails())
			}
			return nil
		}
		var suite testsuite.WorkflowTestSuite
		suite.SetLogger(log.NewStructuredLogger(slog.New(slog.DiscardHandler)))
		test := suite.NewTestWorkflowEnvironment()
		test.RegisterActivity(refund)
		test.ExecuteWorkflow(pay)
		if err := test.GetWorkflowError(); err != nil {
			panic(err)
		}
	}
}
GO
go run . >observed
cat observed
cat >expected <<'TEXT'
attempts: 1
  type: Declined non-retryable: true details: true
attempts: 3
  type: wrapError non-retryable: false details: false
  type: Declined non-retryable: true details: true
attempts: 3
  type: joinError non-retryable: false details: false
attempts: 3
  type: wrapErrors non-retryable: false details: false
TEXT
diff expected observed
