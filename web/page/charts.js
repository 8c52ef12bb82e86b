// The three charts of a service over one common time, with its decisions as points.
'use strict';

const PARTS = {
  load: 'peak in flight', stable: 'mean of the stable window', capacity: 'capacity: ready × target', ready: 'ready', starting: 'starting', desired: 'wanted', waiting: 'requests that wait for a replica',
};

/** Steps of an axis that counts. */
const WHOLE = [1, 2, 5].flatMap((n) => [1, 10, 100, 1e3, 1e4, 1e5].map((power) => n * power)).sort((a, b) => a - b);

/** A chart shows at least so much time. */
const SHORTEST = 3 * 60e3;

/** The page's element helper: children are nodes or texts, never markup. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === 'class') made.className = value;
    else if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== undefined && value !== null && value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.filter((child) => child !== undefined && child !== null && child !== false));
  return made;
}

/** A variable of the style sheet as a color that a canvas takes, in the theme of now. */
function color(name) {
  const probe = element('span');
  probe.style.color = `var(--${name})`;
  document.body.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const clockFormat = new Intl.DateTimeFormat([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' });
function clock(milliseconds) { return clockFormat.format(new Date(milliseconds)); }

function amount(value) {
  if (value === undefined || value === null) return '–';
  return value >= 100 || Number.isInteger(value) ? String(Math.round(value)) : value.toFixed(1);
}

/** Columns of a time, as GET /v1/revisions/NAME/chart has them. Where there are too many, two become one. */
class Columns {
  static KEYS = ['at', 'load', 'stable_concurrency', 'capacity', 'ready', 'starting', 'desired', 'waiting', 'panic'];
  static PEAKS = new Set(['load', 'starting', 'waiting', 'panic']);
  static MAX = 4000;
  static MAX_DECISIONS = 500;

  constructor(range, step) { this.range = range; this.step = step; this.clear(); }

  clear() { for (const key of Columns.KEYS) this[key] = []; this.decisions = []; this.shares = []; }

  /** Newer columns; those within a step of the last one become a part of it. */
  append(chart) {
    for (let i = 0; i < chart.at.length; i++) {
      const last = this.at.length - 1;
      if (last >= 0 && chart.at[i] <= this.lastAt) continue;
      this.lastAt = chart.at[i];
      if (last >= 0 && chart.at[i] - this.at[last] < this.step) {
        for (const key of Columns.KEYS) {
          if (key === 'at') continue;
          this[key][last] = Columns.PEAKS.has(key) ? Math.max(this[key][last], chart[key][i]) : chart[key][i];
        }
      } else {
        for (const key of Columns.KEYS) this[key].push(chart[key][i]);
        if (this.at.length > Columns.MAX) this.coarsen();
      }
    }
    for (const key of ['decisions', 'shares']) {
      const newest = this[key].length ? this[key][this[key].length - 1].at : 0;
      for (const event of chart[key]) if (event.at > newest) this[key].push(event);
      if (this[key].length > Columns.MAX_DECISIONS) this[key].splice(0, this[key].length - Columns.MAX_DECISIONS);
    }
  }

  coarsen() {
    const fine = Object.fromEntries(Columns.KEYS.map((key) => [key, this[key]]));
    const lastAt = this.lastAt;
    for (const key of Columns.KEYS) this[key] = [];
    this.step *= 2;
    this.lastAt = undefined;
    this.append({ ...fine, decisions: [], shares: [] });
    this.lastAt = lastAt;
  }

  forget(before) {
    let old = 0;
    while (old < this.at.length && this.at[old] < before) old++;
    if (old > 0) for (const key of Columns.KEYS) this[key].splice(0, old);
    for (const list of [this.decisions, this.shares]) while (list.length && list[0].at < before) list.shift();
  }
}

/** Draws Columns. Owner: the page; one at a time. */
class Charts {
  constructor(onDecision) {
    this.onDecision = onDecision;
    this.until = Date.now();
    this.from = this.until - SHORTEST;
    this.plots = [];
    this.resized = new ResizeObserver(() => this.resize());
    for (const id of ['load', 'replicas', 'waiting']) this.resized.observe(this.box(id));
  }

  box(id) { return document.getElementById(`${id}-chart`); }

  /** New plots: for another service, another range, another theme. */
  build(columns) {
    for (const plot of this.plots) plot.destroy();
    this.columns = columns;
    this.closeTip();
    this.colors = Object.fromEntries(['load', 'mean', 'capacity', 'ready', 'starting', 'wanted', 'waiting', 'panic', 'panic-back', 'line', 'soft'].map((name) => [name, color(name)]));
    const c = this.colors;
    const steps = uPlot.paths.stepped({ align: 1 });
    const line = (stroke, more = {}) => ({ stroke, width: 1.5, points: { show: false }, spanGaps: false, ...more });
    this.plots = [
      this.plot('load', 190, [
        line(c.load, { width: 2, fill: this.faded(c.load, 0.25) }),
        line(c.mean, { width: 1 }),
        line(c.capacity, { width: 2, dash: [6, 4], paths: steps })]),
      this.plot('replicas', 150, [
        line(c.starting, { width: 1, fill: this.faded(c.starting, 0.55), paths: steps }),
        line(c.ready, { width: 1, fill: this.faded(c.ready, 0.8), paths: steps }),
        line(c.wanted, { width: 2, paths: steps })]),
      this.plot('waiting', 96, [line(c.waiting, { fill: this.faded(c.waiting, 0.35), paths: steps })]),
    ];
    this.captions();
    this.draw();
  }

  faded(rgb, share) { return rgb.replace(/^rgba?\(([^,]+),([^,]+),([^,)]+).*$/, `rgba($1,$2,$3,${share})`); }

  plot(id, height, series) {
    const box = this.box(id);
    box.replaceChildren();
    const axis = { stroke: this.colors.soft, grid: { stroke: this.colors.line, width: 1 }, ticks: { stroke: this.colors.line, width: 1 }, font: '12px system-ui, sans-serif' };
    const two = (n) => String(n).padStart(2, '0');
    const time = (_, splits, index, space, step) => splits.map((at) => {
      const date = new Date(at);
      return `${two(date.getHours())}:${two(date.getMinutes())}${step < 60000 ? ':' + two(date.getSeconds()) : ''}`;
    });
    return new uPlot({
      width: Math.max(120, box.clientWidth), height, ms: 1, legend: { show: false },
      cursor: { sync: { key: 'bellows' }, drag: { x: false, y: false }, points: { size: 6 } },
      scales: { x: { time: true, range: () => [this.from, this.until] }, y: { range: (_, low, high) => [0, Math.max(1, (high || 0) * 1.12)] } },
      axes: [{ ...axis, values: time, space: 74, size: 30 }, { ...axis, size: 46, space: id === 'waiting' ? 16 : 28, ...(id === 'load' ? {} : { incrs: WHOLE }), values: (_, splits) => splits.map(amount) }],
      series: [{}, ...series],
      hooks: { drawClear: [(plot) => this.shadePanic(plot)], setCursor: [(plot) => this.read(plot)], ...(id === 'replicas' ? { draw: [() => this.placePoints()] } : {}) },
    }, [[], ...series.map(() => [])], box);
  }

  shadePanic(plot) {
    const { at, panic, step } = this.columns;
    const { left, top, width, height } = plot.bbox;
    plot.ctx.save();
    for (let i = 0; i < at.length; i++) {
      if (!panic[i]) continue;
      let end = i;
      while (end + 1 < at.length && panic[end + 1]) end++;
      const until = end + 1 < at.length ? at[end + 1] : Math.max(at[end] + step, this.until);
      const from = Math.max(left, plot.valToPos(at[i], 'x', true));
      const to = Math.min(left + width, plot.valToPos(until, 'x', true));
      plot.ctx.fillStyle = this.colors['panic-back'];
      plot.ctx.fillRect(from, top, Math.max(2, to - from), height);
      plot.ctx.fillStyle = this.colors.panic;
      plot.ctx.fillRect(from, top, Math.max(2, to - from), 3 * devicePixelRatio);
      i = end;
    }
    plot.ctx.restore();
  }

  /** The newest columns on the screen. */
  draw() {
    const c = this.columns;
    this.until = Math.max(c.lastAt || 0, Date.now() + (this.ahead || 0));
    c.forget(this.until - c.range);
    // A Bellows that has just begun fills the chart with what there is.
    const begun = c.at.length ? c.at[0] : this.until;
    this.from = Math.max(this.until - c.range, Math.min(begun, this.until - SHORTEST));
    const sum = c.ready.map((n, i) => n + c.starting[i]);
    const all = [[c.at, c.load, c.stable_concurrency, c.capacity], [c.at, sum, c.ready, c.desired], [c.at, c.waiting]];
    this.plots.forEach((plot, i) => plot.setData(all[i]));
    if (!this.plots.some((plot) => plot.cursor.left >= 0)) this.showValues(c.at.length - 1);
  }

  resize() {
    for (const plot of this.plots) {
      const width = Math.max(120, plot.root.parentElement.clientWidth);
      if (Math.abs(width - plot.width) > 1) plot.setSize({ width, height: plot.height });
    }
  }

  /** What the charts mean, with the values under the cursor, otherwise the newest. */
  captions() {
    this.values = {};
    const c = this.colors;
    const entry = (key, paint, tall) => {
      const swatch = element('span', { class: tall ? 'swatch tall' : 'swatch' });
      swatch.style.background = paint;
      this.values[key] = element('span', { class: 'value' });
      return element('span', {}, swatch, PARTS[key] + ' ', this.values[key]);
    };
    const panic = element('span', {}, element('span', { class: 'swatch tall' }), 'panic mode');
    panic.firstChild.style.background = this.faded(c.panic, 0.4);
    this.values.time = element('span', { class: 'value' });
    document.getElementById('load-caption').replaceChildren(element('b', {}, 'Load'), entry('load', c.load), entry('stable', c.mean), entry('capacity', c.capacity), panic, this.values.time);
    document.getElementById('replicas-caption').replaceChildren(element('b', {}, 'Replicas'), entry('ready', c.ready, true), entry('starting', c.starting, true), entry('desired', c.wanted), element('span', {}, 'each point is a decision: touch it, or Tab and ← →'));
    document.getElementById('waiting-caption').replaceChildren(element('b', {}, 'Waiting'), entry('waiting', c.waiting));
  }

  read(plot) { this.showValues(plot.cursor.left >= 0 && plot.cursor.idx !== null ? plot.cursor.idx : this.columns.at.length - 1, plot.cursor.left >= 0); }

  showValues(index, isUnderCursor) {
    const c = this.columns;
    const of = { load: c.load, stable: c.stable_concurrency, capacity: c.capacity, ready: c.ready, starting: c.starting, desired: c.desired, waiting: c.waiting };
    for (const [key, list] of Object.entries(of)) this.values[key].textContent = index >= 0 ? amount(list[index]) : '';
    this.values.time.textContent = isUnderCursor && index >= 0 ? `at ${clock(c.at[index])}` : '';
  }

  /** Decisions as buttons over the chart; those that would cover each other are one. */
  placePoints() {
    const plot = this.plots[1];
    if (!plot) return;
    const groups = [];
    for (let i = this.columns.decisions.length - 1; i >= 0; i--) {
      const decision = this.columns.decisions[i];
      const x = plot.valToPos(decision.at, 'x');
      if (x < 0 || x > plot.over.clientWidth) continue;
      const last = groups[groups.length - 1];
      if (last && last.x - x < 13) last.list.push(decision);
      else groups.push({ x, y: plot.valToPos(decision.want, 'y'), list: [decision] });
    }
    const key = groups.map((group) => group.list.map((decision) => decision.at).join(',')).join(';');
    if (key !== this.pointsKey || !plot.over.querySelector('.point')) {
      const focused = document.activeElement && document.activeElement.classList.contains('point') ? document.activeElement.dataset.at : undefined;
      for (const old of plot.over.querySelectorAll('.point')) old.remove();
      this.pointsKey = key;
      groups.forEach((group, i) => plot.over.append(this.point(group, i)));
      if (focused) plot.over.querySelector(`.point[data-at="${focused}"]`)?.focus({ preventScroll: true });
    }
    const buttons = plot.over.querySelectorAll('.point');
    groups.forEach((group, i) => { buttons[i].style.left = `${group.x}px`; buttons[i].style.top = `${group.y}px`; });
  }

  point(group, index) {
    const first = group.list[0];
    const isPanic = group.list.some((decision) => decision.mode_changed && decision.mode === 'panic');
    const isUp = group.list.some((decision) => decision.want > decision.before);
    const kind = isPanic ? ' panic' : isUp ? ' up' : '';
    const open = () => this.openTip(button, group);
    const button = element('button', {
      type: 'button', class: `point${kind}`, 'data-at': String(first.at), tabindex: index === 0 ? '0' : '-1',
      'aria-label': group.list.map((decision) => describe(decision)).join('. '),
      onmouseenter: open, onfocus: open, onclick: (event) => { event.stopPropagation(); open(); this.onDecision(first); },
      onmouseleave: () => this.closeTip(), onblur: () => this.closeTip(), onkeydown: (event) => this.step(event, button),
    });
    return button;
  }

  step(event, button) {
    if (event.key === 'Escape') this.closeTip();
    const to = event.key === 'ArrowLeft' ? button.nextElementSibling : event.key === 'ArrowRight' ? button.previousElementSibling : null;
    if (!to || !to.classList.contains('point')) return;
    event.preventDefault();
    button.tabIndex = -1;
    to.tabIndex = 0;
    to.focus({ preventScroll: true });
  }

  openTip(button, group) {
    this.closeTip();
    button.classList.add('open');
    const shown = group.list.slice(0, 4).map((decision) => element('p', {}, element('b', {}, `${clock(decision.at)} ${change(decision)}`), ` because ${decision.because}`));
    if (group.list.length > 4) shown.push(element('p', { class: 'quiet' }, `and ${group.list.length - 4} before`));
    this.tip = element('div', { class: 'tip', role: 'tooltip' }, ...shown);
    const box = this.box('replicas');
    box.append(this.tip);
    const at = button.getBoundingClientRect();
    const around = box.getBoundingClientRect();
    const left = Math.min(Math.max(0, at.left - around.left - this.tip.offsetWidth / 2), around.width - this.tip.offsetWidth);
    this.tip.style.left = `${Math.max(0, left)}px`;
    this.tip.style.top = `${at.bottom - around.top + 8}px`;
  }

  closeTip() {
    if (!this.tip) return;
    this.tip.remove();
    this.tip = undefined;
    document.querySelector('.point.open')?.classList.remove('open');
  }
}

/** "1 → 4", "panic begins, 1 → 4" */
function change(decision) {
  const mode = decision.mode_changed ? (decision.mode === 'panic' ? 'panic begins' : 'panic ends') : '';
  const number = decision.want === decision.before ? '' : `${decision.before} → ${decision.want}`;
  return [mode, number].filter(Boolean).join(', ');
}

function describe(decision) { return `${clock(decision.at)}: ${change(decision)} because ${decision.because}`; }
