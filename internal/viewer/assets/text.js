// With invisible characters, or characters that change the order of others, a text can have one
// meaning for a model and another one for a person. They are shown by their code points. The
// characters themselves stay in the text, for search and copying.

// Characters that scripts and emoji need are excepted: joiners and variation selectors.
const unseen = /(?:(?![\t\n\r\u180b-\u180d\u180f\u200c\u200d\ufe00-\ufe0f])[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\ufff9-\ufffb])+/gu;
const codesShown = 3; // of a run of such characters

// textNodes returns the nodes of a text.
function textNodes(text) {
  if (text.search(unseen) < 0) return document.createTextNode(text);
  const all = document.createDocumentFragment();
  let from = 0;
  for (const found of text.matchAll(unseen)) {
    all.append(text.slice(from, found.index), hiddenRun(found[0]));
    from = found.index + found[0].length;
  }
  all.append(text.slice(from));
  return all;
}

function hiddenRun(run) {
  const codes = Array.from(run, (c) => 'U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0'));
  const more = codes.length > codesShown ? ` +${grouped(codes.length - codesShown)}` : '';
  const element = document.createElement('span');
  element.className = 'code-point';
  element.dataset.code = codes.slice(0, codesShown).join(' ') + more;
  const original = document.createElement('span');
  original.textContent = run;
  element.append(original);
  return element;
}

// firstLine returns the beginning of a text, for places with one line.
function firstLine(text, length = 200) {
  const cut = text.slice(0, length);
  return cut.replace(/\s+/g, ' ') + (text.length > length ? '…' : '');
}
