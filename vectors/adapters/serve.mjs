// The loop of the line protocol, for adapters in JavaScript, and a network that records requests.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

// serve answers each request with the function for its operation; one that returns nothing does not apply.
export async function serve(implementation, operations) {
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, operation, input } = JSON.parse(line);
    const answer = (await operations[operation]?.(input)) ?? { verdict: "not_applicable" };
    process.stdout.write(JSON.stringify({ id, ...answer, implementation }) + "\n");
  }
  process.exit();
}

// version returns the version of a package of the adapter at url.
export function version(url, name) {
  return JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, url))).version;
}

// refused is the answer for an error of the SDK.
export const refused = (error, step) => ({ verdict: "invalid", step, comment: String(error?.message ?? error).slice(0, 300) });

// attempt answers with the result of a function, which is JSON or a text, or with its error.
export async function attempt(make) {
  try {
    const output = await make();
    return { verdict: "valid", output: typeof output === "string" ? output : JSON.stringify(output) };
  } catch (error) {
    return refused(error);
  }
}

// recorder returns a fetch that records the bodies of requests and then fails, and a function that returns the body
// of the first request of a call.
export function recorder() {
  let bodies = [];
  return {
    fetch: async (target, init) => {
      bodies.push(JSON.parse(init?.body ?? (target instanceof Request ? await target.text() : "null")));
      throw new Error("recorded");
    },
    sent: async (call) => {
      bodies = [];
      try {
        await call();
      } catch (error) {
        if (bodies.length === 0) throw error;
      }
      return bodies[0];
    },
  };
}
