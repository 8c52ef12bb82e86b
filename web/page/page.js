// The page: what the events say, the list of services, and one of them in detail.
'use strict';

const RANGES = [['15 min', 15 * 60e3], ['1 h', 3600e3], ['6 h', 6 * 3600e3], ['24 h', 24 * 3600e3]];
const COLUMNS = 2000;             // of a chart: as many as screens show; an hour has each decision
const OLD_AFTER = 4000;           // without an event, what is shown counts as old
const STARTS_PERIOD = 5000;       // the cold starts are asked for at least this often
const START_PARTS = ['ordered_ms', 'process_started_ms', 'ready_ms', 'forwarded_ms', 'first_byte_ms'];
const START_NAMES = ['until it is ordered', 'process starts', 'app gets ready', 'request goes to it', 'app answers'];

const page = { services: new Map(), rows: new Map(), selected: '', revision: undefined, range: RANGES[1][1], heard: 0, startsAt: 0, source: undefined, turn: 0, wanted: false };
const $ = (id) => document.getElementById(id);

/** Writes only what differs: a thousand rows cost nothing while nothing happens. */
function put(node, text) { if (node.textContent !== text) node.textContent = text; }
function mark(node, name, isOn) { if (node.classList.contains(name) !== isOn) node.classList.toggle(name, isOn); }

/** A sentence of the selected service with the app's last line, which only those with the key may read. */
function whole(text, full) { return text && full?.startsWith(text) ? full : text; }

/** Why it does not serve, or would not serve its next request; empty: nothing is wrong. */
function troubleOf(service) {
  if (service.trouble || service.scaling_trouble) return service.trouble || service.scaling_trouble;
  if (service.ready > 0) return '';
  const failed = service.failed_starts;
  if (service.not_ready && service.not_ready !== failed?.last) return service.not_ready;
  return failed ? `${failed.count === 1 ? 'the last start' : `the last ${failed.count} starts`} failed: ${failed.last}` : '';
}

/** What a person has to know first, as a word and its kind. */
function stateOf(service) {
  if (service.trouble || service.scaling_trouble) return ['failing', 'bad'];
  if (service.ready === 0 && service.failed_starts) return ['start failed', 'bad'];
  if (service.ready === 0 && service.not_ready) return ['not ready yet', 'bad'];
  if (service.mode === 'panic') return ['panic', 'panic'];
  if (service.state === 'Retired') return ['retired', 'still'];
  if (service.paused) return ['paused', 'still'];
  if (service.starting > 0 || service.ready < service.desired) return ['starting', 'starting'];
  if (service.ready === 0) return ['at zero', 'still'];
  return service.ready > service.desired ? ['scaling down', 'still'] : ['ready', 'good'];
}

function capacityOf(service) { return service.capacity ?? service.ready * (service.target || 0); }

/* ---- the list ---- */

function makeRow(name) {
  const row = element('a', { class: 'row', href: `#/${encodeURIComponent(name)}`, 'data-name': name },
    element('span', { title: name }, name, element('i')), element('span'), element('span', {}, element('b'), element('span', { class: 'meter' }, element('u'))), ...['waiting', 'rate', 'p50', 'p99', 'errors'].map((column) => element('span', { class: column })));
  const [, replicas, , waiting, rate, p50, p99, errors] = row.children;
  row.parts = { state: row.querySelector('i'), replicas, load: row.querySelector('b'), meter: row.querySelector('u'), waiting, rate, p50, p99, errors };
  return row;
}

function drawRow(service) {
  const row = page.rows.get(service.name) || makeRow(service.name);
  page.rows.set(service.name, row);
  const [word, kind] = stateOf(service);
  const { state, replicas, load, meter, waiting, rate, p50, p99, errors } = row.parts;
  put(state, word);
  if (state.className !== kind) state.className = kind;
  put(replicas, `${service.ready}/${service.desired}`);
  put(load, amount(service.in_flight));
  const share = capacityOf(service) > 0 ? service.in_flight / capacityOf(service) : service.in_flight > 0 ? 1 : 0;
  meter.style.width = `${Math.min(100, Math.round(share * 100))}%`;
  mark(meter, 'full', share > 1);
  put(waiting, amount(service.waiting));
  mark(waiting, 'held', service.waiting > 0);
  const traffic = service.traffic || {};
  put(rate, amount(traffic.per_second));
  put(p50, brief(traffic.p50_ms));
  put(p99, brief(traffic.p99_ms));
  put(errors, traffic.errors >= 10000 ? `${Math.round(traffic.errors / 1000)}k` : amount(traffic.errors));
  mark(errors, 'held', traffic.errors > 0);
}

/** The value by which the list is ordered. */
function rankOf(service, key) { return service[key] ?? service.traffic?.[key] ?? 0; }

/** Troubled ones first, then by the chosen order, then by name. */
function arrange() {
  const key = $('order').value;
  const filter = $('filter').value.trim().toLowerCase();
  const shown = [...page.services.values()].filter((service) => service.name.toLowerCase().includes(filter));
  const isBad = (service) => (troubleOf(service) ? 1 : 0);
  shown.sort((a, b) => isBad(b) - isBad(a) || (key === 'name' ? 0 : rankOf(b, key) - rankOf(a, key)) || a.name.localeCompare(b.name, undefined, { numeric: true }));
  const names = shown.map((service) => service.name).join('\n');
  if (names !== page.arranged) {
    page.arranged = names;
    $('rows').replaceChildren(...shown.map((service) => page.rows.get(service.name)));
  }
  const all = page.services.size;
  put($('count'), shown.length === all ? `${all}` : `${shown.length} of ${all}`);
  $('none').hidden = shown.length > 0;
  put($('none'), all > 0 ? 'no service has such a name' : 'no service yet');
}

function drawAlarm() {
  // The selected one says it itself.
  const failing = [...page.services.values()].filter((service) => service.name !== page.selected && troubleOf(service));
  $('alarm').hidden = failing.length === 0;
  const lines = failing.slice(0, 4).map((service) => `${service.name}: ${troubleOf(service)}`);
  if (failing.length > 4) lines.push(`and ${failing.length - 4} more`);
  put($('alarm'), lines.join('\n'));
}

/* ---- one service ---- */

function tile(name, value, more, isAlert, kind = 'alert') {
  return element('div', isAlert ? { class: kind } : {}, element('dt', {}, name), element('dd', { 'data-field': name }, value, element('small', {}, more)));
}

/** Its numbers are those of all its revisions; the words are of the first one, which gets most requests. */
function drawService(revisions) {
  const row = orders.withLines(page.services.get(page.selected) || {});
  const revision = { ...revisions[0], ...row, replicas: revisions.flatMap((each) => each.replicas || []) };
  page.revision = revision;
  const [word, kind] = stateOf(revision);
  put($('badge'), word);
  $('badge').className = `badge ${kind}`;
  const trouble = [...new Set([troubleOf(revision), revision.scaling_trouble, revision.path && revision.path.problem])].filter(Boolean);
  $('trouble').hidden = trouble.length === 0;
  put($('trouble'), trouble.join('\n'));
  const last = revision.last_decision;
  put($('why'), last ? `${last.want} ${last.want === 1 ? 'replica' : 'replicas'} because ${last.because}.` : 'Nothing has been decided yet.');
  const capacity = capacityOf(revision);
  const load = revision.in_flight ?? 0;
  $('tiles').replaceChildren(
    tile('replicas', `${revision.ready}/${revision.desired}`, revision.starting > 0 ? `ready of wanted, ${revision.starting} starting` : 'ready of wanted', revision.ready < revision.desired && Boolean(revision.trouble)),
    tile('in flight', amount(load), `of ${amount(capacity)} as planned`, capacity > 0 && load > capacity),
    tile('waiting', amount(revision.waiting), 'held until a replica has room', revision.waiting > 0),
    tile('target', amount(revision.target), 'requests in flight for each'),
    tile('mode', revision.mode ?? '–', `${revision.state}${revision.paused ? ', paused' : ''}`, revision.mode === 'panic', 'panic'));
  orders.draw(revision);
  drawReplicas(revision.replicas);
  drawSizes(revision.resources);
}

function drawReplicas(replicas) {
  const used = (replica) => replica.usage || {};
  const cells = (replica) => [replica.name, replica.phase, replica.in_flight === undefined ? '–' : amount(replica.in_flight), cpu(used(replica).cpu_millicores), memory(used(replica).memory_bytes), replica.start && replica.start.ready_after_ms !== undefined ? span(replica.start.ready_after_ms) : '–', String(replica.restarts), replica.trouble || ''];
  const head = element('tr', {}, ...['replica', 'phase', 'in flight', 'CPU', 'memory', 'ready after', 'restarts', 'trouble'].map((name) => element('th', { scope: 'col' }, name)));
  const lines = replicas.map((replica) => element('tr', { 'data-replica': replica.name }, ...cells(replica).map((text, i) => element('td', i === 7 || (i === 6 && replica.restarts > 0) ? { class: 'bad' } : {}, text))));
  $('replicas').replaceChildren(head, ...(lines.length ? lines : [element('tr', {}, element('td', { colspan: '8' }, 'none: the next request starts one'))]));
}

function cpu(millicores) { return millicores === undefined ? '–' : `${millicores}m`; }
function memory(bytes) { return bytes === undefined ? '–' : bytes >= 1e9 ? `${(bytes / 1e9).toFixed(2)} GB` : `${(bytes / 1e6).toFixed(1)} MB`; }
function brief(milliseconds) { return milliseconds === undefined ? '–' : milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(1)}s` : `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)}ms`; }
function span(milliseconds) { return milliseconds >= 1000 ? `${(milliseconds / 1000).toFixed(2)} s` : `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`; }

function drawSizes(resources) {
  $('sizes-title').hidden = $('sizes').hidden = !resources;
  if (!resources) return;
  const line = (name, key, text) => {
    const value = resources.target && resources.target[key];
    if (value === undefined) return null;
    const low = resources.lower_bound && resources.lower_bound[key];
    const high = resources.upper_bound && resources.upper_bound[key];
    const reason = resources.reason && resources.reason[name === 'CPU' ? 'cpu' : 'memory'];
    return element('div', { class: 'size' }, element('span', {}, name), element('b', {}, text(value) + (low === undefined ? '' : ` (${text(low)} to ${text(high)})`)), element('span', { class: 'quiet' }, reason || ''));
  };
  const notes = [resources.note, resources.trouble].filter(Boolean).join('; ');
  $('sizes').replaceChildren(...[line('CPU', 'cpu_millicores', cpu), line('memory', 'memory_bytes', memory), element('p', { class: 'quiet' }, `policy ${resources.policy}, resources-mode ${resources.mode}${notes ? `: ${notes}` : ''}`)].filter(Boolean));
}

function drawDecisions(columns) {
  const changes = columns.shares.map((change) => ({ at: change.at, change: shareChange(change) })).filter((each) => each.change);
  const list = [...columns.decisions, ...changes].sort((a, b) => a.at - b.at).slice(-100).reverse();
  const key = list.map((event) => event.at).join(',');
  if (key === page.decisionsKey) return;
  page.decisionsKey = key;
  $('decisions').replaceChildren(...list.map((decision) => {
    if (decision.change) return element('li', { class: 'deploy' }, element('span', {}, clock(decision.at)), element('b', {}, decision.change[0]), element('span', {}, decision.change[1]));
    const kind = decision.mode === 'panic' ? 'panic' : decision.want > decision.before ? 'up' : '';
    return element('li', { 'data-at': String(decision.at) }, element('span', {}, clock(decision.at)), element('span', { class: kind }, change(decision)), element('span', {}, `because ${decision.because}`));
  }));
  if (list.length === 0) $('decisions').append(element('li', { class: 'quiet' }, 'The number has not changed in this time.'));
}

/** Shows the line of a point of the chart. */
function openDecision(decision) {
  for (const line of $('decisions').children) line.classList.toggle('open', line.dataset.at === String(decision.at));
  $('decisions').querySelector('.open')?.scrollIntoView({ block: 'nearest' });
}

/** A waterfall: one bar for each cold start, all on one scale. */
function drawStarts(all) {
  const list = all.filter((start) => start.service === page.selected).slice(0, 12);
  const key = JSON.stringify([page.selected, list]);
  if (key === page.startsKey) return;
  page.startsKey = key;
  if (list.length === 0) {
    $('starts').replaceChildren(element('p', { class: 'quiet' }, 'No request has waited for a first replica of this service yet.'));
    return;
  }
  const longest = Math.max(...list.map((start) => start.first_byte_ms || 0), 1);
  const legend = element('p', { class: 'quiet' }, ...START_NAMES.map((name, i) => element('span', {}, element('span', { class: `swatch tall part${i}` }), `${name}  `)));
  const bars = list.map((start) => {
    const bar = element('span', { class: 'fall', role: 'img' });
    const words = [];
    let before = 0;
    START_PARTS.forEach((part, i) => {
      if (start[part] === undefined) return;
      const length = Math.max(0, start[part] - before);
      if (length > 0) {
        const piece = element('s', { class: `part${i}` });
        piece.style.width = `${(length / longest) * 100}%`;
        bar.append(piece);
      }
      words.push(`${START_NAMES[i]}: ${span(length)}`);
      before = Math.max(before, start[part]);
    });
    bar.title = words.join('\n');
    bar.setAttribute('aria-label', words.join(', '));
    return element('div', { class: 'start' }, element('span', {}, clock(Date.parse(start.at))), element('span', { title: start.replica }, start.replica), bar, element('span', {}, span(start.first_byte_ms || before)));
  });
  $('starts').replaceChildren(element('div', { class: 'starts' }, legend, ...bars));
}

/* ---- asking ---- */

async function ask(path) {
  const response = await fetch(path, { headers: { Accept: 'application/json' } });
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
  return response.json();
}

async function fetchStarts() {
  page.startsAt = performance.now();
  try { drawStarts((await ask('/v1/cold-starts')).cold_starts); } catch { /* the next turn asks again */ }
}

/** The past of the selected service, in parts; then the events go on from there. */
async function fetchPast() {
  const turn = ++page.turn;
  page.isPast = false;
  page.late = [];
  const chart = `/v1/revisions/${page.selected.split('/').map(encodeURIComponent).join('/')}/chart`;
  const now = Math.floor(Date.now() + (charts.ahead || 0));
  let columns;
  let oldest;
  try {
    oldest = (await ask(`${chart}?from=${now}`)).oldest;
    // As fine as what is known allows: a Bellows that has just begun has no day yet.
    const begin = Math.max(now - page.range, oldest ?? now - page.range);
    const step = Math.floor(Math.max(1900, (now - begin) / COLUMNS));
    columns = new Columns(page.range, step);
    let from = begin;
    while (from !== undefined && turn === page.turn) {
      const part = await ask(`${chart}?from=${from}&step=${step}`);
      columns.append(part.chart);
      from = part.next;
    }
  } catch {
    // What is there stays; the next connection asks again.
    if (turn === page.turn) page.isPast = Boolean(page.columns);
    return;
  }
  if (turn !== page.turn) return;
  for (const chart of page.late) columns.append(chart);
  page.late = [];
  page.isPast = true;
  page.columns = columns;
  page.decisionsKey = undefined;
  charts.build(columns);
  drawDecisions(columns);
  put($('begins'), oldest !== undefined && oldest > now - page.range ? `What is known begins at ${clock(oldest)}.` : '');
}

function select(name) {
  if (!name || name === page.selected) return;
  page.selected = name;
  $('instead').hidden = true;
  for (const row of page.rows.values()) row.setAttribute('aria-current', row.dataset.name === name ? 'true' : 'false');
  page.revision = page.columns = undefined;
  put($('name'), name);
  drawAlarm();
  $('detail').hidden = false;
  listen();
  fetchPast();
  fetchStarts();
  revisions.look(name);
  orders.look(name);
}

function listen() {
  if (page.source) page.source.close();
  if (document.hidden) return;
  page.source = new EventSource(`/v1/events?service=${encodeURIComponent(page.selected)}`);
  const source = page.source;
  let opened = 0;
  source.addEventListener('open', () => {
    page.isFirst = true;
    // Connected again, perhaps to another Bellows: what happened in between is asked for.
    if (opened++ > 0 && page.selected) fetchPast();
  });
  page.source.addEventListener('services', (event) => hear(onServices, event));
  page.source.addEventListener('service', (event) => hear(onService, event));
}

function hear(take, event) {
  page.heard = performance.now();
  const data = JSON.parse(event.data);
  charts.ahead = data.now - Date.now();
  take(data);
}

function onServices(data) {
  if (page.isFirst) {
    // The first event of a connection has all of them.
    const names = new Set(data.services.map((service) => service.name));
    for (const name of page.services.keys()) if (!names.has(name)) data.removed.push(name);
    page.isFirst = false;
  }
  for (const name of data.removed) { page.services.delete(name); page.rows.delete(name); }
  for (const service of data.services) { page.services.set(service.name, service); drawRow(service); }
  if (data.services.length || data.removed.length) { arrange(); drawAlarm(); }
  drawMachine(data.machine);
  drawLink();
  if (!page.services.has(page.selected)) leave();
}

function onService(data) {
  if (data.name !== page.selected) return;
  drawService(data.revisions);
  if (!page.isPast) { page.late.push(data.chart); return; }
  page.columns.append(data.chart);
  charts.draw();
  drawDecisions(page.columns);
  // The activator records a cold start when its response begins, which is after the decision that ordered the replica.
  if (data.chart.decisions.length || performance.now() - page.startsAt > STARTS_PERIOD) fetchStarts();
}

/** The selected service is gone, or none was selected yet. */
function leave() {
  page.selected = '';
  $('detail').hidden = true;
  choose();
}

/** Of `#/web`; nothing else in an address is a name. */
function nameInAddress() { return location.hash.startsWith('#/') ? decodeURIComponent(location.hash.slice(2)) : ''; }

/** The one in the address, otherwise one in trouble, otherwise the busiest. A bookmark may be of a service that is gone: the page says so. */
function choose() {
  const asked = nameInAddress();
  if (page.services.has(asked)) return select(asked);
  const rank = (service) => (troubleOf(service) ? 1e12 : 0) + (service.mode === 'panic' ? 1e9 : 0) + service.in_flight;
  const first = [...page.services.values()].sort((a, b) => rank(b) - rank(a))[0];
  if (!first) return;
  select(first.name);
  put($('instead'), `There is no service ${asked}. This is another one.`);
  $('instead').hidden = !asked;
}

/** All services together, in one line; what the machine has is known once a service has a size. */
function drawMachine(machine) {
  const all = [...page.services.values()];
  const sum = (value) => all.reduce((total, service) => total + (value(service) || 0), 0);
  const isMeasured = all.some((service) => service.usage);
  const part = (name, key, text) => {
    const has = machine?.capacity?.[key];
    const words = [isMeasured && `${text(sum((service) => service.usage?.[key]))} used`, has !== undefined && `${text(machine.requested?.[key] ?? 0)} requested of ${text(has)}`].filter(Boolean);
    return words.length ? `${name} ${words.join(', ')}` : '';
  };
  const replicas = sum((service) => service.ready);
  const failed = sum((service) => service.traffic?.errors);
  const words = [`${replicas} ${replicas === 1 ? 'replica' : 'replicas'}`, part('CPU', 'cpu_millicores', cpu), part('memory', 'memory_bytes', memory), `${amount(sum((service) => service.traffic?.per_second))} req/s`];
  put($('machine-words'), words.filter(Boolean).join(' · '));
  put($('machine-errors'), `${failed} 5xx in the last minute`);
  mark($('machine-errors'), 'bad', failed > 0);
  put($('machine-unmet'), (machine?.unmet || []).map((each) => each.reason).join('; '));
}

function drawLink() {
  const quiet = performance.now() - page.heard;
  const isOld = page.heard > 0 && quiet > OLD_AFTER;
  mark($('link'), 'old', isOld || page.heard === 0);
  put($('link'), page.heard === 0 ? 'connecting' : isOld ? `no answer for ${Math.round(quiet / 1000)} s: what is shown is old` : 'live');
}

/* ---- the page itself ---- */

function setTheme(theme) {
  if (theme === 'system') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme;
  $('theme').textContent = `theme: ${theme}`;
  try { localStorage.setItem('bellows-theme', theme); } catch { /* it holds until the page is closed */ }
  if (page.columns) charts.build(page.columns);
}

function themeOf() { try { return localStorage.getItem('bellows-theme') || 'system'; } catch { return 'system'; } }

function setRange(range) {
  page.range = range;
  for (const button of $('ranges').children) button.setAttribute('aria-pressed', button.dataset.range === String(range) ? 'true' : 'false');
  if (page.selected) fetchPast();
}

function onKey(event) {
  const isTyping = ['INPUT', 'SELECT'].includes(event.target.tagName);
  if (event.key === '/' && !isTyping) { event.preventDefault(); $('filter').focus(); return; }
  const isRow = event.target.classList?.contains('row') || event.target.id === 'filter';
  if (!isRow || !['ArrowDown', 'ArrowUp', 'Enter'].includes(event.key)) return;
  const rows = [...$('rows').children];
  const at = rows.indexOf(event.target);
  if (event.key === 'Enter') { if (at < 0 && rows[0]) location.hash = rows[0].hash; return; }
  event.preventDefault();
  rows[Math.min(rows.length - 1, Math.max(0, at + (event.key === 'ArrowDown' ? 1 : -1)))]?.focus();
}

const charts = new Charts(openDecision);
const revisions = new Revisions(ask);
const orders = new Orders();
for (const [text, range] of RANGES) $('ranges').append(element('button', { type: 'button', 'data-range': String(range), onclick: () => setRange(range) }, text));
setRange(page.range);
setTheme(themeOf());
$('theme').addEventListener('click', () => setTheme({ system: 'dark', dark: 'light', light: 'system' }[themeOf()]));
$('filter').addEventListener('input', arrange);
$('order').addEventListener('change', arrange);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => { if (page.columns) charts.build(page.columns); });
addEventListener('hashchange', () => {
  orders.take();
  orders.showRights();
  const name = nameInAddress();
  if (page.services.has(name)) select(name); else if (name || !page.selected) choose();
});
addEventListener('keydown', onKey);
// A page that nobody sees asks nothing; when it is seen again, it asks for what it has missed.
document.addEventListener('visibilitychange', () => { if (document.hidden) { page.source?.close(); } else { listen(); if (page.selected) fetchPast(); } });
setInterval(() => {
  drawLink();
  // A browser does not connect again after a refusal.
  if (!document.hidden && page.source?.readyState === EventSource.CLOSED) listen();
  if (!document.hidden) { revisions.look(page.selected); orders.look(page.selected); }
}, 2000);
listen();
