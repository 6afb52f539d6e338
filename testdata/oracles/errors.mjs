// What an error says in a line.

// text is the name of the error and its first line. Schema libraries put the document there,
// or a list in JSON: of theirs, it is the path and the text of an issue.
export function text(error) {
  if (!(error instanceof Error)) return `${error?.message ?? error}`.split("\n", 1)[0] || "thrown without a word";
  const issues = error.issues ?? error.cause?.issues;
  const message = issues?.length ? issue(issues) : error.message;
  return `${error.name}: ${message.split("\n", 1)[0]}`;
}

// issue is the first issue; where no branch of a union fits, that of the branch whose first
// issue is farthest into the document.
function issue([{ path, message, errors }], prefix = []) {
  const at = [...prefix, ...path];
  const branches = (errors ?? []).filter((issues) => issues.length > 0);
  if (branches.length === 0) return `${at.join(".")}: ${message}`;
  const depth = ([{ path, errors }]) => path.length + Math.max(0, ...(errors ?? []).filter((e) => e.length).map(depth));
  return issue(branches.reduce((best, branch) => (depth(branch) > depth(best) ? branch : best)), at);
}
