// Icons. Each has a word beside it or in its row: neither an icon nor its colour has a meaning of
// its own.

const shapes = {
  error: 'M5 1h6l4 4v6l-4 4H5l-4-4V5zM5.2 5.2l5.6 5.6M10.8 5.2l-5.6 5.6',
  warning: 'M8 1.5 15 14H1zM8 6v4M8 11.8v.4',
  note: 'M8 1.2a6.8 6.8 0 1 0 0 13.6A6.8 6.8 0 0 0 8 1.2zM8 7v4.2M8 4.6v.4',
  sent: 'M2 8h11M9 3.5 13.5 8 9 12.5',
  accepted: 'M8 2.5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11z',
  handed: 'M8 1.5 14.5 8 8 14.5 1.5 8z',
  done: 'M2 8.5 6 13l8-10',
  failed: 'M3 3l10 10M13 3 3 13',
  retry: 'M13 8a5 5 0 1 1-1.6-3.7M13.5 1.5v3.3h-3.3',
  back: 'M3.5 5.5h6a4 4 0 0 1 0 8H5M6.5 2 3 5.5 6.5 9',
  pause: 'M5.5 3v10M10.5 3v10',
  lost: 'M2 4h12M2 12h12M5.5 9.5 8 7M8 9.5 10.5 7',
  close: 'M3.5 3.5l9 9M12.5 3.5l-9 9',
  previous: 'M3 10.5 8 5.5l5 5',
  next: 'M3 5.5 8 10.5l5-5',
  open: 'M6 3l5 5-5 5',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  search: 'M7 2a5 5 0 1 0 0 10A5 5 0 0 0 7 2zM10.8 10.8 14.5 14.5',
  signed: 'M4 7V5a4 4 0 0 1 8 0v2M2.5 7h11v7h-11z',
};

function glyph(name) {
  return el('svg', {class: `glyph glyph-${name}`, viewBox: '0 0 16 16', 'aria-hidden': 'true', focusable: 'false'}, el('path', {d: shapes[name]}));
}

const eventShapes = new Map([
  ['DISPATCHED', ['sent', 'plain']], ['BEGUN', ['handed', 'plain']], ['ACCEPTED', ['accepted', 'plain']], ['HANDED_OVER', ['handed', 'plain']],
  ['COMPLETED', ['done', 'good']], ['ACKNOWLEDGED', ['accepted', 'good']], ['DUPLICATE', ['accepted', 'plain']], ['REJECTED', ['failed', 'bad']],
  ['EXECUTION_FAILED', ['failed', 'bad']], ['ROLLED_BACK', ['back', 'bad']], ['ESCALATED', ['warning', 'bad']], ['DEAD_LETTERED', ['pause', 'bad']],
  ['RELEASED', ['accepted', 'good']], ['DISCARDED', ['failed', 'plain']], ['ERASED', ['failed', 'plain']], ['REVOKED', ['back', 'plain']],
  ['REFUSED', ['failed', 'plain']],
]);

// eventShape returns the icon of an event, and its tone: good, bad or plain.
function eventShape(name) {
  return eventShapes.get(name) ?? ['note', 'plain'];
}

function statusMark(status) {
  if (!status) return null;
  const [shape, tone] = eventShape(status);
  return el('span', {class: `status ${tone}`}, glyph(shape), statusWord(status));
}

function severityMark(severity, text = severity) {
  return el('span', {class: `severity ${severity}`}, glyph(severity in shapes ? severity : 'note'), text);
}

// worst returns the highest severity of findings.
function worst(findings) {
  return ['error', 'warning'].find((severity) => findings.some((f) => f.severity === severity)) ?? 'note';
}

// problems shows the numbers of errors and warnings.
function problems(errors = 0, warnings = 0) {
  return [
    errors > 0 && el('span', {class: 'severity error', title: plural(errors, 'error')}, glyph('error'), grouped(errors), el('span', {class: 'unseen'}, errors === 1 ? ' error' : ' errors')),
    warnings > 0 && el('span', {class: 'severity warning', title: plural(warnings, 'warning')}, glyph('warning'), grouped(warnings), el('span', {class: 'unseen'}, warnings === 1 ? ' warning' : ' warnings')),
  ];
}
