// Tabs as in the ARIA Authoring Practices: one stop of the Tab key, with arrows between them.

class Tabs {
  // tabs are [id, text]; chosen(id) is called when the user selects another one.
  constructor(label, tabs, panel, chosen) {
    this.panel = panel;
    this.chosen = chosen;
    this.buttons = new Map();
    this.element = el('div', {class: 'tabs', role: 'tablist', 'aria-label': label, onkeydown: (e) => this.keydown(e)});
    panel.id ||= newID('view');
    panel.setAttribute('role', 'tabpanel');
    for (const [id, text] of tabs) {
      const button = el('button', {
        type: 'button', role: 'tab', id: newID('tab'), 'data-tab': id, 'aria-controls': panel.id, tabindex: -1, onclick: () => this.chosen(id),
      }, text);
      this.buttons.set(id, button);
      this.element.append(button);
    }
  }

  // select marks the selected tab.
  select(id) {
    for (const [other, button] of this.buttons) {
      const selected = other === id;
      button.setAttribute('aria-selected', selected);
      button.tabIndex = selected ? 0 : -1;
      if (!selected) continue;
      this.panel.setAttribute('aria-labelledby', button.id);
      button.scrollIntoView({block: 'nearest', inline: 'nearest'});
    }
  }

  // note shows a number beside the text of a tab; "" removes it.
  note(id, text, severity = '') {
    const button = this.buttons.get(id);
    button.querySelector('.count')?.remove();
    if (text !== '') button.append(el('span', {class: `count ${severity}`}, ` ${text}`));
  }

  keydown(event) {
    const all = [...this.buttons.values()];
    const now = all.indexOf(document.activeElement);
    const to = {ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: all.length - 1}[event.key];
    if (to === undefined || now < 0) return;
    const button = all[(to + all.length) % all.length];
    button.focus();
    button.click();
    event.preventDefault();
  }
}
