// The open handoff: beside the list if there is room, or else in its place.

const panelTabs = [['received', 'Received'], ['changes', 'Changes'], ['findings', 'Findings'], ['json', 'JSON'], ['evidence', 'Evidence']];

class Panel {
  constructor(model, store, page) {
    Object.assign(this, {model, store, page, i: -1});
    this.element = document.getElementById('panel');
    this.title = el('h2', {id: 'panel-title', tabindex: -1});
    this.facts = el('div', {class: 'panel-facts'});
    this.commands = el('details', {class: 'commands'});
    this.masked = el('p', {class: 'masked', hidden: true}, severityMark('note', 'masked'), ' Credentials in the message are shown as asterisks.');
    this.body = el('div', {class: 'panel-body'});
    this.tabs = new Tabs('Views of the handoff', panelTabs, this.body, (tab) => page.go({tab, at: ''}, true));
    this.before = this.button('Previous handoff', 'previous', 'k p', () => page.step(-1));
    this.after = this.button('Next handoff', 'next', 'j n', () => page.step(1));
    append(this.element, [el('div', {class: 'panel-head'}, el('div', {class: 'panel-line'}, this.title, this.before, this.after, this.button('Close', 'close', 'Escape', () => page.close())), this.facts, this.masked, this.commands), this.tabs.element, this.body]);
    this.element.setAttribute('aria-labelledby', 'panel-title');
    wide.addEventListener('change', () => this.arrange());
  }

  button(label, shape, keys, act) {
    return el('button', {type: 'button', class: 'quiet', 'aria-label': label, title: `${label} (${keys.replace(' ', ' or ')})`, 'aria-keyshortcuts': keys, onclick: act}, glyph(shape));
  }

  // arrange makes the panel a dialog if it covers the list.
  arrange() {
    const covers = this.i >= 0 && !wide.matches;
    this.element.hidden = this.i < 0;
    document.body.classList.toggle('has-panel', this.i >= 0);
    document.getElementById('top').inert = covers;
    if (covers) {
      this.element.setAttribute('role', 'dialog');
      this.element.setAttribute('aria-modal', 'true');
    } else {
      this.element.setAttribute('role', 'complementary');
      this.element.removeAttribute('aria-modal');
    }
  }

  // show opens the handoff of a state, or closes the panel.
  async show(state) {
    const another = state.open !== this.i;
    this.i = state.open;
    if (another) this.arrange();
    if (state.open < 0) {
      this.opened = null;
      this.view?.close?.();
      this.view = null;
      this.body.replaceChildren();
      return;
    }
    if (another) {
      this.opened = null;
      this.head();
      await this.load(state.open);
    }
    if (this.i === state.open && this.opened) this.showTab(this.page.state);
  }

  head() {
    const h = this.model.handoffs[this.i];
    fill(this.title, agents(h));
    const fact = (name, ...content) => el('span', {class: 'fact'}, el('span', {class: 'fact-name'}, name), content);
    fill(this.facts, h.title && el('p', {class: 'panel-title'}, h.title),
      el('div', {class: 'fact-line'}, statusMark(h.status), problems(h.errors, h.warnings), retries(h), signedMark(h), lostChip(h)),
      h.reason && el('p', {class: 'reason'}, h.reason),
      el('div', {class: 'fact-line'},
        h.id && fact('id', el('code', {class: 'id'}, h.id), copyButton('the id', () => h.id)), fact('time', clock(h.time) || '–'),
        !isZero(h.step) && fact('spent', `${usd(h.step.usd)}, ${grouped(h.step.prompt)} + ${grouped(h.step.completion)} tokens`), h.remainingUSD && fact('budget left', usd(h.remainingUSD)),
        fact('format', h.format), h.bytes > 0 && fact('size', plural(h.bytes, 'byte')),
        h.fromVersion && fact('sender', h.fromVersion), h.toVersion && fact('receiver', h.toVersion), (h.receivers?.length ?? 0) > 1 && fact('receivers', h.receivers.join(', '))));
    fill(this.commands);
    const order = this.page.order;
    const at = order.indexOf(this.i);
    this.before.disabled = at <= 0;
    this.after.disabled = at < 0 || at + 1 >= order.length;
    for (const id of ['changes', 'findings', 'evidence']) this.tabs.note(id, '');
    this.body.setAttribute('aria-busy', 'true');
    this.commands.hidden = true;
    this.masked.hidden = true;
  }

  async load(i) {
    const slow = setTimeout(() => fill(this.body, el('p', {class: 'empty'}, 'Unpacking…')), 150);
    try {
      const details = await this.store.details(i);
      if (this.i !== i) return;
      this.opened = new Opened(this.model, i, details);
      this.counts();
    } catch (error) {
      if (this.i === i) fill(this.body, el('p', {class: 'empty'}, `This handoff cannot be shown: ${error.message}.`));
    } finally {
      clearTimeout(slow);
      if (this.i === i) this.body.removeAttribute('aria-busy');
    }
  }

  counts() {
    const {details} = this.opened;
    const findings = [...(details.findings ?? []), ...lostElsewhere(this.opened)];
    const count = (list, more = 0) => (list?.length ? grouped(list.length + more) : '');
    this.tabs.note('changes', count(details.changes, details.moreChanges));
    this.tabs.note('findings', count(findings, details.moreFindings), worst(findings));
    const commands = details.commands ?? [];
    this.masked.hidden = !details.masked;
    this.commands.hidden = commands.length === 0;
    fill(this.commands, el('summary', {}, 'In a terminal'), commands.map((c) => el('div', {class: 'command'}, el('span', {class: 'fact-name'}, c.shows), el('code', {tabindex: 0}, c.line), copyButton(`the command for ${c.shows}`, () => c.line))));
  }

  showTab(state) {
    this.tabs.select(state.tab);
    this.view?.close?.();
    this.view = null;
    const {opened} = this;
    this.body.className = `panel-body shows-${state.tab}`;
    switch (state.tab) {
    case 'received': this.view = new ReceivedView(opened, this); break;
    case 'changes': this.view = {element: changesView(opened, this)}; break;
    case 'findings': this.view = {element: findingsView(opened, this)}; break;
    case 'json': this.view = new JSONTree(opened, this); break;
    case 'evidence': this.view = {element: evidenceView(opened)}; break;
    }
    fill(this.body, this.view.element);
    this.body.scrollTop = 0;
    if (state.tab === 'json' && state.at) this.showPlace(state.at);
  }

  // showAt shows a value in the JSON view.
  showAt(pointer, inContext) {
    this.page.go({tab: 'json', at: (inContext ? 'context:' : 'message:') + pointer}, true);
    if (this.view instanceof JSONTree) this.view.focus();
  }

  showPlace(at) {
    const [, where, pointer] = /^(?:(message|context):)?(.*)$/s.exec(at);
    this.view.showPointer(pointer, where === 'context' && Boolean(this.opened.details.context));
  }

  focus() {
    this.title.focus({preventScroll: true});
  }

  focusSearch() {
    if (!(this.view instanceof JSONTree)) this.page.go({tab: 'json', at: ''}, true);
    this.view?.input?.focus();
  }
}
