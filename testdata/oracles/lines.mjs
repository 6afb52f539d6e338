// What is stored as a file of lines.

// text is the text of the file: the document is it, or the array of its lines.
export const text = (document) =>
  typeof document === "string" ? document : document.map((line) => JSON.stringify(line) + "\n").join("");
