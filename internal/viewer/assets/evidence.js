// The evidence for a handoff: its signature, its records in the audit log, and their proof.

function evidenceView(opened) {
  const {signature, records, proof} = opened.details;
  if (!signature && !records?.length && !proof) return el('p', {class: 'empty'}, 'The message is not signed, and has no records of an audit log.');
  return el('div', {}, signature && signatureView(signature), records?.length > 0 && recordsView(records), proof && proofView(proof));
}

function signatureView(signature) {
  const holds = signature.holds === true ? ['good', 'done', 'valid'] : signature.holds === false ? ['bad', 'failed', 'not valid'] : ['plain', 'note', 'not verified'];
  return el('section', {class: 'part'}, el('h3', {}, 'Signature'),
    el('p', {}, el('span', {class: `status ${holds[0]}`}, glyph(holds[1]), holds[2])), el('p', {}, signature.verdict),
    facts([['algorithm', signature.algorithm], ['key', signature.keyId]]));
}

function recordsView(records) {
  const list = new Growing(records.length, (k) => recordItem(records[k]), {class: 'records', role: 'list'});
  return el('section', {class: 'part'}, el('h3', {}, 'Records', el('span', {class: 'count'}, ` ${grouped(records.length)}`)), list.element);
}

function recordItem(record) {
  return el('div', {class: 'record', role: 'listitem'},
    el('p', {class: 'record-head'}, statusMark(record.event), el('span', {class: 'time'}, clock(record.time)), el('span', {class: 'sequence'}, `record ${grouped(record.sequence)}`)),
    facts([...(record.facts ?? []).map((f) => [f.name, f.value]), ['hash', record.hash, true], ['previous', record.previous, true]]));
}

// facts shows a list of [name, value, whether it can be copied].
function facts(list) {
  return el('dl', {class: 'facts'}, list.filter(([, value]) => value).map(([name, value, copies]) => el('div', {},
    el('dt', {}, name), el('dd', {class: copies ? 'hash' : ''}, copies ? [el('code', {}, value), copyButton(`the ${name}`, () => value)] : value.length > 400 ? textBlock(value, []) : value))));
}

function proofView(proof) {
  return el('section', {class: 'part'}, el('h3', {}, 'Proof'),
    el('p', {class: 'aside'}, `These hashes lead from record ${grouped(proof.sequence)} to the root of the log's tree, which has ${plural(proof.size, 'record')}.`),
    facts([['root', proof.root, true]]),
    el('ol', {class: 'path'}, (proof.path ?? []).map((hash) => el('li', {}, el('code', {}, hash)))),
    copyButton('the proof', () => JSON.stringify(proof), 'Copy the proof'));
}
