// Keys that work everywhere on the page, and the dialog that lists them.

const keyTexts = [
  ['/', 'search; in an open handoff, search its JSON'], ['?', 'these keys'], ['↑ ↓ Home End PageUp PageDown', 'move in a list'], ['letters', 'in a list, go to the next row that begins with them'],
  ['→ ←', 'unfold and fold; to the parent'], ['Enter', 'open'], ['j n', 'next handoff, while one is open'], ['k p', 'previous handoff'], ['Escape', 'close, and return to the list'],
];

class Keys {
  constructor(page) {
    this.page = page;
    this.toggle = el('input', {type: 'checkbox', onchange: () => page.go({keys: this.toggle.checked ? '' : 'off'}, true)});
    this.dialog = el('dialog', {class: 'keys', 'aria-labelledby': 'keys-title'},
      el('h2', {id: 'keys-title'}, 'Keys'),
      el('dl', {}, keyTexts.map(([keys, text]) => el('div', {}, el('dt', {}, keys.split(' ').map((key) => [el('kbd', {}, key), ' '])), el('dd', {}, text)))),
      el('label', {class: 'check'}, this.toggle, 'Enable keys of one character'),
      el('form', {method: 'dialog'}, el('button', {class: 'plain-button'}, 'Close')));
    document.body.append(this.dialog);
    document.addEventListener('keydown', (event) => this.keydown(event));
  }

  show() {
    this.toggle.checked = this.page.state.keys !== 'off';
    if (!this.dialog.open) this.dialog.showModal();
  }

  keydown(event) {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || this.dialog.open) return;
    if (event.key === 'Escape') return this.escape(event);
    if (isTyping(event.target) || this.page.state.keys === 'off') return;
    const act = this.action(event.key);
    if (!act) return;
    act();
    event.preventDefault();
  }

  action(key) {
    const {page} = this;
    if (key === '/') return () => page.focusSearch();
    if (key === '?') return () => this.show();
    if (page.state.open < 0) return null;
    if (key === 'j' || key === 'n') return () => page.step(1);
    if (key === 'k' || key === 'p') return () => page.step(-1);
    return null;
  }

  escape(event) {
    if (isTyping(event.target) && event.target.value && event.target.type === 'search') {
      event.target.value = '';
      event.target.dispatchEvent(new Event('input'));
    } else if (this.page.state.open >= 0) {
      this.page.close();
    } else {
      return;
    }
    event.preventDefault();
  }
}

// isShortcut reports whether a key is a shortcut of the page, which a list must not handle.
function isShortcut(event) {
  return shortcuts.active !== null && shortcuts.active.action(event.key) !== null && shortcuts.active.page.state.keys !== 'off';
}

const shortcuts = {active: null}; // the Keys of the page
