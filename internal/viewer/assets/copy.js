// Copying to the clipboard.

// copyButton returns a button that copies the result of text(); what is the name of the text.
function copyButton(what, text, caption = '') {
  const button = el('button', {type: 'button', class: 'quiet copy', title: `Copy ${what}`, 'aria-label': `Copy ${what}`, onclick: () => copied(button, what, text())}, glyph('copy'), caption);
  return button;
}

async function copied(button, what, text) {
  const done = await toClipboard(text);
  announce(done ? `Copied ${what}.` : `The browser does not let this page copy ${what}.`);
  button.classList.toggle('was-copied', done);
  setTimeout(() => button.classList.remove('was-copied'), 1500);
}

async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
