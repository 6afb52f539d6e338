// The form of numbers, amounts and times.

// grouped writes an integer with thin spaces between thousands, which readers of all languages
// understand.
function grouped(number) {
  return String(number).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

function plural(count, one, many = one + 's') {
  return `${grouped(count)} ${count === 1 ? one : many}`;
}

// usd writes an amount with all its digits.
function usd(amount) {
  if (!amount) return '–';
  return amount.startsWith('-') ? `−$${amount.slice(1)}` : `$${amount}`;
}

function isZero(cost) {
  return !Number(cost.usd) && !cost.prompt && !cost.completion;
}

const durations = [['d', 86400000], ['h', 3600000], ['min', 60000], ['s', 1000]];

// duration writes milliseconds in the two largest units.
function duration(ms) {
  if (ms < 0) return '−' + duration(-ms);
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 10000) return `${trimmed(ms / 1000)} s`;
  const first = durations.findIndex(([, size]) => ms >= size);
  const [name, size] = durations[first];
  let text = `${grouped(Math.floor(ms / size))} ${name}`;
  if (first + 1 < durations.length) {
    const [nextName, nextSize] = durations[first + 1];
    const rest = Math.floor((ms % size) / nextSize);
    if (rest > 0) text += ` ${rest} ${nextName}`;
  }
  return text;
}

function trimmed(number) {
  return number.toFixed(2).replace(/\.?0+$/, '');
}

// clock writes a time of RFC 3339 for people, with its own offset; any other text is unchanged.
function clock(text) {
  const parts = /^(\d{4}-\d\d-\d\d)[Tt ](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?([Zz]|[+-]\d\d:\d\d)$/.exec(text);
  if (!parts) return text;
  return `${parts[1]} ${parts[2]} ${/^[Zz]$/.test(parts[3]) ? 'UTC' : parts[3]}`;
}

// utc writes milliseconds since 1970 as a time.
function utc(ms) {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? String(ms) : date.toISOString().replace('T', ' ').replace('.000Z', ' UTC').replace('Z', ' UTC');
}

// statusWord writes the name of an event, such as HANDED_OVER, as a word.
function statusWord(name) {
  return name ? name.toLowerCase().replaceAll('_', ' ') : '';
}
