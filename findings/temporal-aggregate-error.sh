#!/bin/sh
# Package:  @temporalio/common 1.24.0 (npm), the default failure converter
# Guess:    an AggregateError that an activity throws, as Promise.any does if all its promises are rejected,
#           reaches the workflow with its errors, as the cause of an error does.
# Observed: the errors are lost, in the failure and in the stack trace. The workflow learns only "All promises
#           were rejected".
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
npm install --silent --no-audit --no-fund @temporalio/common@1.24.0
cat >failure.mjs <<'JS'
import { defaultFailureConverter, defaultPayloadConverter, ensureApplicationFailure } from "@temporalio/common";
const reasons = [new Error("bank: timeout"), new Error("card: declined")];
const aggregate = await Promise.any(reasons.map((reason) => Promise.reject(reason))).catch((error) => error);
for (const error of [new Error("no refund", { cause: reasons[0] }), aggregate]) {
  const failure = defaultFailureConverter.errorToFailure(ensureApplicationFailure(error), defaultPayloadConverter);
  console.log(failure.applicationFailureInfo.type, failure.message, "cause:", failure.cause?.message, "reasons:", reasons.filter((reason) => JSON.stringify(failure).includes(reason.message)).length);
}
JS
node failure.mjs >observed
cat observed
cat >expected <<'TEXT'
Error no refund cause: bank: timeout reasons: 1
AggregateError All promises were rejected cause: undefined reasons: 0
TEXT
diff expected observed
