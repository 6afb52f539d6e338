// What is wrong with a message, and where.

function findingsView(opened, panel) {
  const lost = (opened.handoff.lost ?? []).map((l) => ({...l, boundary: true}));
  const findings = opened.details.findings ?? [];
  if (lost.length + findings.length === 0) return el('p', {class: 'empty'}, 'Nothing is wrong with this message that is known.');
  return el('div', {},
    lost.length > 0 && el('section', {class: 'part'}, el('h3', {}, 'At the boundary above it'), list(lost)),
    findings.length > 0 && el('section', {class: 'part'}, el('h3', {}, 'In the message'), list(findings), notHere(opened.details.moreFindings, 'finding')));

  function list(all) {
    return new Growing(all.length, (k) => findingItem(all[k], opened, panel), {class: 'finding-list', role: 'list'}).element;
  }
}

function findingItem(finding, opened, panel) {
  const rule = opened.model.rules[finding.rule];
  const place = finding.line ? `line ${grouped(finding.line)}, column ${grouped(finding.column ?? 1)}` : '';
  return el('div', {class: `finding ${finding.severity}`, role: 'listitem'},
    el('p', {}, severityMark(finding.severity), ' ', ruleName(finding.rule, opened.model)),
    el('p', {class: 'message'}, finding.message),
    !finding.boundary && el('p', {class: 'place'},
      el('button', {type: 'button', class: 'quiet pointer', title: 'Show it in the JSON', onclick: () => panel.showAt(finding.pointer, Boolean(finding.inContext))}, finding.pointer || 'the whole message'),
      finding.inContext && el('span', {}, ' in what the message carries'), place && el('span', {class: 'line'}, ` ${place}`)),
    rule && el('details', {class: 'why'}, el('summary', {}, 'Why it matters'), el('p', {}, rule.summary), el('p', {}, rule.why)));
}
