// The conformance tool asks for fs.globSync, which came with Node 22, for a command that is not
// used here. With --import of this file, it starts with Node 20 as well.
import { register } from "node:module";

const shim = "data:text/javascript," + encodeURIComponent(`
  export * from "node:fs";
  export { default } from "node:fs";
  export const globSync = () => { throw new Error("fs.globSync: not in this version of Node"); };
`);

register("data:text/javascript," + encodeURIComponent(`
  export async function resolve(specifier, context, next) {
    if (specifier === "fs" && context.parentURL?.includes("/conformance/dist/")) {
      return { url: ${JSON.stringify(shim)}, shortCircuit: true };
    }
    return next(specifier, context);
  }
`));
