// The findings of a message, with their places.

function findingsView(opened, panel) {
  const lost = lostElsewhere(opened).map((l) => ({...l, boundary: true}));
  const findings = opened.details.findings ?? [];
  if (lost.length + findings.length === 0) return el('p', {class: 'empty'}, 'This message has no findings.');
  return el('div', {},
    lost.length > 0 && el('section', {class: 'part'}, el('h3', {}, 'At the boundary before it'), list(lost)),
    findings.length > 0 && el('section', {class: 'part'}, el('h3', {}, 'In the message'), list(findings), notHere(opened.details.moreFindings, 'finding')));

  function list(all) {
    return new Growing(all.length, (k) => findingItem(all[k], opened, panel), {class: 'finding-list', role: 'list'}).element;
  }
}

// lostElsewhere returns the losses at the boundary before a handoff, without those that are also
// findings of its message with a place.
function lostElsewhere(opened) {
  const key = (f) => JSON.stringify([f.rule, f.message]);
  const known = new Set((opened.details.findings ?? []).map(key));
  return (opened.handoff.lost ?? []).filter((l) => !known.has(key(l)));
}

function findingItem(finding, opened, panel) {
  const rule = opened.model.rules[finding.rule];
  const place = finding.line ? `line ${grouped(finding.line)}, column ${grouped(finding.column ?? 1)}` : '';
  return el('div', {class: `finding ${finding.severity}`, role: 'listitem'},
    el('p', {}, severityMark(finding.severity), ' ', ruleName(finding.rule, opened.model)),
    el('p', {class: 'message'}, finding.message),
    !finding.boundary && el('p', {class: 'place'},
      el('button', {type: 'button', class: 'quiet pointer', title: 'Show it in the JSON', onclick: () => panel.showAt(finding.pointer, Boolean(finding.inContext))}, finding.pointer || 'the whole message'),
      finding.inContext && el('span', {}, ' in the context of the message'), place && el('span', {class: 'line'}, ` ${place}`)),
    rule && el('details', {class: 'why'}, el('summary', {}, 'Why it matters'), el('p', {}, rule.summary), el('p', {}, rule.why)));
}
