// The canonical form by JSON.parse and the package canonicalize.
import canonicalize from "canonicalize";
import { attempt, refused, serve, version } from "../serve.mjs";

serve(`JSON.parse and canonicalize ${version(import.meta.url, "canonicalize")}`, {
  canonicalize: ({ text }) => {
    let value;
    try {
      value = JSON.parse(text);
    } catch (error) {
      return refused(error, "syntax");
    }
    return attempt(() => canonicalize(value));
  },
});
