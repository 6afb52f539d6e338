// An opened handoff: its details, and its documents, which are read on demand.

class Opened {
  constructor(model, i, details) {
    Object.assign(this, {model, i, details, handoff: model.handoffs[i], marks: new Map()});
    this.documents = new Map();
  }

  // read returns the document of a text, null if it is not JSON.
  read(text) {
    if (!this.documents.has(text)) {
      this.documents.set(text, this.parse(text));
    }
    return this.documents.get(text);
  }

  // parse reads a text that is not one value as the lines of a session, unless the message is
  // malformed.
  parse(text) {
    for (const reader of this.details.malformed ? [readJSON] : [readJSON, readJSONLines]) {
      try {
        return reader(text);
      } catch (error) {
        if (!(error instanceof JSONError)) throw error;
      }
    }
    return null;
  }

  // message returns the received message, null if it is not JSON or missing.
  get message() {
    const {message, base64} = this.details;
    return message && !base64 ? this.read(message) : null;
  }

  // context returns the document that the receiver reads: the context of the message, or the
  // message itself.
  get context() {
    if (this.details.malformed) return null;
    if (!this.details.context) return this.message;
    return this.read(this.details.context);
  }

  // documentOf returns the document of a finding.
  documentOf(finding) {
    return finding.inContext ? this.context : this.message;
  }

  // findingsAt returns the findings about a value.
  findingsAt(document, row) {
    if (!this.marks.has(document)) this.marks.set(document, this.placed(document));
    return this.marks.get(document).get(row) ?? [];
  }

  placed(document) {
    const rows = new Map();
    for (const finding of this.details.findings ?? []) {
      if (this.documentOf(finding) !== document) continue;
      const row = document.at(finding.pointer);
      if (row < 0) continue;
      if (!rows.has(row)) rows.set(row, []);
      rows.get(row).push(finding);
    }
    return rows;
  }
}
