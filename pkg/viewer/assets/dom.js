// Elements are made here and nowhere else. Whatever a text has in it, it becomes a text node: there
// is no way from a string to markup, and the page's policy (trusted-types 'none') forbids one.

const svgNamespace = 'http://www.w3.org/2000/svg';
const svgNames = new Set(['svg', 'path', 'circle', 'rect', 'line']);

// el returns an element. Attributes that are null, undefined or false are left out and true is an empty
// one, but for those of ARIA, which have the words; those that begin with "on" are listeners. Children
// are nodes, texts, and lists of them.
function el(name, attributes, ...children) {
  const element = svgNames.has(name) ? document.createElementNS(svgNamespace, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    const says = key.startsWith('aria-');
    if (value === null || value === undefined || (value === false && !says)) continue;
    if (key.startsWith('on')) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true && !says ? '' : value);
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : textNodes(String(child)));
  }
}

// fill replaces what is in an element.
function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// place sets properties of an element's style, which the policy allows, as it does not style attributes.
function place(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

let made = 0;
// newID returns an id that no other element has.
function newID(prefix) {
  made++;
  return `${prefix}-${made}`;
}

// announce says something to those who do not see it.
function announce(text) {
  const live = document.getElementById('live');
  if (live.textContent !== text) live.textContent = text;
}

// isTyping tells whether keys go into a text.
function isTyping(target) {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

const wide = matchMedia('(min-width: 68rem)');
