// The worst finding of the shown tasks, above the list: the page begins with what is wrong.

const excerptReach = 160; // of the text on both sides of the affected words

class Trouble {
  constructor(model, page) {
    Object.assign(this, {model, page});
    this.element = el('section', {class: 'trouble', 'aria-label': 'The worst finding'});
  }

  // show shows the worst finding of a task, or of all tasks if t is -1.
  async show(t) {
    const {model} = this;
    const i = this.worstOf(t < 0 ? model.handoffs.keys() : model.handoffs.slice(0, model.tasks[t].count).map((_, k) => model.tasks[t].first + k));
    this.i = i;
    this.element.hidden = i < 0;
    if (i < 0) return fill(this.element);
    const h = model.handoffs[i];
    const lost = worstFinding(h.lost ?? []);
    const rules = (h.rules ?? []).filter((r) => model.rules[r]);
    this.draw(lost && rank(model, h) === rankLost(lost) ? lost : {severity: h.errors ? 'error' : 'warning', rule: rules[0] ?? -1, message: ''}, lost);
    try {
      const opened = new Opened(model, i, await this.page.panel.store.details(i));
      const finding = worstFinding([...(opened.details.findings ?? []), ...lostElsewhere(opened)], model);
      if (this.i === i && finding) this.draw(finding, (h.lost ?? []).some((l) => l.rule === finding.rule && l.message === finding.message), opened);
    } catch {
      // The details cannot be read: the panel shows why when the handoff is opened.
    }
  }

  // worstOf returns the handoff with the worst finding, -1 for none; the first one of several.
  worstOf(indices) {
    let found = -1, most = 0;
    for (const i of indices) {
      const r = rank(this.model, this.model.handoffs[i]);
      if (r > most) [found, most] = [i, r];
    }
    return found;
  }

  draw(finding, boundary, opened) {
    const {model, i} = this;
    const h = model.handoffs[i];
    const parent = model.handoffs[h.parent];
    const where = boundary && parent ? [agents(parent), ', then ', agents(h)] : [agents(h)];
    fill(this.element,
      el('p', {class: 'trouble-head'}, severityMark(finding.severity), ' ', ruleName(finding.rule, model), el('span', {class: 'trouble-place'}, boundary && parent ? 'at the boundary: ' : 'in the message: ', where)),
      h.title && el('p', {class: 'title'}, h.title),
      el('p', {class: 'message'}, finding.message || model.rules[finding.rule]?.summary),
      opened && !finding.boundary && this.words(finding, opened),
      el('p', {}, el('button', {type: 'button', class: 'plain-button', onclick: () => this.open()}, 'Show this finding')));
  }

  // words shows the affected words in their text.
  words(finding, opened) {
    const document = opened.documentOf(finding);
    const row = finding.words && document ? document.at(finding.pointer) : -1;
    if (row < 0) return null;
    const text = document.string(row);
    const [from, to] = finding.words;
    const begin = Math.max(0, from - excerptReach), end = Math.min(text.length, Math.min(to, from + 4 * excerptReach) + excerptReach);
    return el('div', {class: 'text excerpt'}, begin > 0 && '… ', textNodes(text.slice(begin, from)), el('mark', {class: finding.severity}, text.slice(from, Math.min(to, end))), textNodes(text.slice(to, end)), end < text.length && ' …');
  }

  open() {
    const {page, i, model} = this;
    page.back = document.activeElement;
    page.go({task: model.taskOf[i], open: i, tab: 'findings', at: ''});
    page.panel.focus();
  }
}

// rank orders handoffs by their worst finding: injected instructions, losses at the boundary, other errors,
// warnings; 0 for none.
function rank(model, h) {
  const lost = worstFinding(h.lost ?? []);
  const unsafe = h.errors > 0 && (h.rules ?? []).some((r) => model.ruleID(r).startsWith('safety/'));
  if (unsafe) return 5;
  if (lost?.severity === 'error') return rankLost(lost);
  if (h.errors > 0) return 3;
  if (lost?.severity === 'warning') return rankLost(lost);
  return h.warnings > 0 ? 1 : 0;
}

function rankLost(lost) {
  return {error: 4, warning: 2}[lost.severity] ?? 0;
}

// worstFinding returns the worst of findings, the first one of several: with a model, injected instructions
// before other errors.
function worstFinding(findings, model) {
  const weight = (f) => ({error: 4, warning: 2}[f.severity] ?? 0) + (model?.ruleID(f.rule).startsWith('safety/') ? 1 : 0);
  return findings.reduce((found, f) => (weight(f) > (found ? weight(found) : 0) ? f : found), undefined);
}
