// A reader of JSON that keeps the text: the places of values, numbers as written, the order of
// members, and duplicate members. JSON.parse would round 2^53+1, and lose the rest.
//
// A document is a table with a row for each value, in the order of the text, so that 64 MB of JSON
// do not become millions of objects: children follow their parent, and `after` is the row after the
// last descendant.

const kinds = ['object', 'array', 'string', 'number', 'true', 'false', 'null'];
const kindObject = 0, kindArray = 1, kindString = 2, kindNumber = 3, kindTrue = 4, kindFalse = 5, kindNull = 6;

class JSONError extends Error {
  constructor(message, offset) {
    super(message);
    this.offset = offset; // in UTF-16 code units
  }
}

class JSONDocument {
  constructor(text) {
    this.text = text;
    this.length = 0; // rows
    this.room = 0;
    this.grow(Math.max(16, text.length >> 4));
  }

  grow(room) {
    const larger = (table, Type) => {
      const next = new Type(room);
      if (table) next.set(table);
      return next;
    };
    this.kind = larger(this.kind, Uint8Array);
    for (const column of ['start', 'end', 'parent', 'after', 'nameStart', 'nameEnd', 'place']) {
      this[column] = larger(this[column], Int32Array);
    }
    this.room = room;
  }

  // add returns a new row. A name is its place in the text, -1 for none; place is the position
  // among the children of the parent.
  add(kind, start, parent, place, nameStart, nameEnd) {
    if (this.length === this.room) this.grow(this.room * 2);
    const row = this.length++;
    this.kind[row] = kind;
    this.start[row] = start;
    this.parent[row] = parent;
    this.place[row] = place;
    this.nameStart[row] = nameStart;
    this.nameEnd[row] = nameEnd;
    return row;
  }

  isContainer(row) {
    return this.kind[row] <= kindArray;
  }

  raw(row) {
    return this.text.slice(this.start[row], this.end[row]);
  }

  // name returns the decoded name of a member, or the index of an element.
  name(row) {
    if (this.nameStart[row] < 0) return String(this.place[row]);
    return unquote(this.text.slice(this.nameStart[row], this.nameEnd[row]));
  }

  hasName(row) {
    return this.nameStart[row] >= 0;
  }

  // string returns the decoded text of a string.
  string(row) {
    return unquote(this.raw(row));
  }

  // children yields the rows of the values in an object or array.
  *children(row) {
    for (let child = row + 1; child < this.after[row]; child = this.after[child]) yield child;
  }

  // count returns the number of values in an object or array.
  count(row) {
    let count = 0;
    for (let child = row + 1; child < this.after[row]; child = this.after[child]) count++;
    return count;
  }

  // member returns the first member with a name, -1 if there is none.
  member(row, name) {
    if (this.kind[row] !== kindObject) return -1;
    for (const child of this.children(row)) {
      if (this.name(child) === name) return child;
    }
    return -1;
  }

  // at returns the value at a JSON Pointer, -1 if there is none.
  at(pointer) {
    if (pointer === '') return 0;
    if (!pointer.startsWith('/')) return -1;
    let row = 0;
    for (const token of pointer.slice(1).split('/')) {
      row = this.step(row, token.replaceAll('~1', '/').replaceAll('~0', '~'));
      if (row < 0) return -1;
    }
    return row;
  }

  step(row, name) {
    if (this.kind[row] !== kindArray) return this.member(row, name);
    for (const child of this.children(row)) {
      if (String(this.place[child]) === name) return child;
    }
    return -1;
  }

  // pointer returns the JSON Pointer of a value.
  pointer(row) {
    let all = '';
    for (; this.parent[row] >= 0; row = this.parent[row]) {
      all = '/' + this.name(row).replaceAll('~', '~0').replaceAll('/', '~1') + all;
    }
    return all;
  }

  depth(row) {
    let depth = 0;
    for (; this.parent[row] >= 0; row = this.parent[row]) depth++;
    return depth;
  }
}

// unquote returns the decoded text of a string with quotes. JSONReader has checked it.
function unquote(raw) {
  return raw.includes('\\') ? JSON.parse(raw) : raw.slice(1, -1);
}

// readJSON reads a text of one JSON value, or throws a JSONError.
function readJSON(text) {
  return new JSONReader(text, false).read();
}

// readJSONLines reads a sequence of values, as an array.
function readJSONLines(text) {
  return new JSONReader(text, true).read();
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const escapes = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

class JSONReader {
  constructor(text, lines) {
    this.text = text;
    this.lines = lines; // the first row is an array that is not in the text
    this.at = 0;
    this.document = new JSONDocument(text);
  }

  // read does not use recursion: a message may be nested deeper than the stack.
  read() {
    const {document} = this;
    let parent = -1, place = 0;
    if (this.lines) {
      parent = document.add(kindArray, 0, -1, 0, -1, -1);
      this.space();
      if (this.at === this.text.length) return this.ended(this.close(parent));
    }
    for (;;) {
      this.space();
      let nameStart = -1, nameEnd = -1;
      if (parent >= 0 && document.kind[parent] === kindObject) {
        nameStart = this.at;
        this.string();
        nameEnd = this.at;
        this.space();
        this.expect(':');
        this.space();
      }
      const row = this.value(parent, place, nameStart, nameEnd);
      if (document.isContainer(row) && !this.closes(row)) {
        parent = row;
        place = 0;
        continue;
      }
      [parent, place] = this.leave(row);
      if (parent < 0) return this.ended();
    }
  }

  // value reads a scalar, or the beginning of an object or array.
  value(parent, place, nameStart, nameEnd) {
    const {document, text} = this;
    const start = this.at;
    const kind = this.kindHere();
    const row = document.add(kind, start, parent, place, nameStart, nameEnd);
    switch (kind) {
    case kindObject:
    case kindArray:
      this.at++;
      return row;
    case kindString:
      this.string();
      break;
    case kindNumber:
      number.lastIndex = start;
      if (!number.test(text)) throw this.error('invalid number');
      this.at = number.lastIndex;
      break;
    default:
      this.at += kinds[kind].length;
    }
    this.close(row);
    return row;
  }

  kindHere() {
    const {text, at} = this;
    switch (text[at]) {
    case '{': return kindObject;
    case '[': return kindArray;
    case '"': return kindString;
    case 't': case 'f': case 'n': {
      const kind = [kindTrue, kindFalse, kindNull].find((k) => text.startsWith(kinds[k], at));
      if (kind !== undefined) return kind;
      break;
    }
    case '-': case '0': case '1': case '2': case '3': case '4': case '5': case '6': case '7': case '8': case '9':
      return kindNumber;
    }
    throw this.error(at < text.length ? 'expected a value' : 'the text ends before the value is complete');
  }

  close(row) {
    this.document.end[row] = this.at;
    this.document.after[row] = this.document.length;
  }

  // closes reports whether the object or array that has just begun is empty, and closes it.
  closes(row) {
    this.space();
    if (this.text[this.at] !== (this.document.kind[row] === kindObject ? '}' : ']')) return false;
    this.at++;
    this.close(row);
    return true;
  }

  // leave continues after a complete value: it returns the parent and place of the next one, or -1
  // at the end of the text.
  leave(row) {
    const {document} = this;
    for (let parent = document.parent[row]; parent >= 0; row = parent, parent = document.parent[row]) {
      this.space();
      const isLine = this.lines && parent === 0;
      if (isLine && this.at < this.text.length) return [parent, document.place[row] + 1];
      if (!isLine && this.text[this.at] === ',') {
        this.at++;
        return [parent, document.place[row] + 1];
      }
      if (!isLine) this.expect(document.kind[parent] === kindObject ? '}' : ']');
      this.close(parent);
    }
    return [-1, 0];
  }

  ended() {
    this.space();
    if (this.at < this.text.length) throw this.error('unexpected text after the value');
    return this.document;
  }

  space() {
    for (;; this.at++) {
      const c = this.text.charCodeAt(this.at);
      if (c !== 0x20 && c !== 0x0a && c !== 0x0d && c !== 0x09) return;
    }
  }

  expect(character) {
    if (this.text[this.at] !== character) throw this.error(`${character} is missing`);
    this.at++;
  }

  // string checks a string with its quotes.
  string() {
    this.expect('"');
    for (;;) {
      const c = this.text.charCodeAt(this.at);
      if (c === 0x22) break;
      if (c === 0x5c) {
        escapes.lastIndex = this.at;
        if (!escapes.test(this.text)) throw this.error('invalid escape');
        this.at = escapes.lastIndex;
      } else if (c >= 0x20) {
        this.at++;
      } else {
        throw this.error(this.at < this.text.length ? 'a control character in a string' : 'a string is not closed');
      }
    }
    this.at++;
  }

  error(message) {
    return new JSONError(message, this.at);
  }
}
