// All elements are made here. Any text becomes a text node: no function converts a string to
// markup, and the page's policy (trusted-types 'none') forbids it.

const svgNamespace = 'http://www.w3.org/2000/svg';
const svgNames = new Set(['svg', 'path', 'circle', 'rect', 'line']);

// el returns an element. Attributes that are null, undefined or false are omitted, and true is an
// empty one, except for ARIA attributes, which have the words; those that begin with "on" are
// listeners. Children are nodes, texts, and lists of them.
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

// fill replaces the content of an element.
function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

// place sets properties of an element's style, which the policy allows; it forbids style
// attributes.
function place(element, properties) {
  for (const [name, value] of Object.entries(properties)) element.style.setProperty(name, value);
  return element;
}

let made = 0;
// newID returns a unique id.
function newID(prefix) {
  made++;
  return `${prefix}-${made}`;
}

// announce gives a text to screen readers.
function announce(text) {
  const live = document.getElementById('live');
  if (live.textContent !== text) live.textContent = text;
}

// isTyping reports whether keys are typed into a text.
function isTyping(target) {
  return target instanceof HTMLInputElement || target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}

const wide = matchMedia('(min-width: 68rem)');
