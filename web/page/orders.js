// Orders to the selected service, and the output of its apps: for those who have the key that `bellows page` prints.
'use strict';

const KEPT_LINES = 300;

/** The key comes in the address, which is then that of the page alone, and stays until the tab is closed. */
class Orders {
  constructor() {
    this.take();
    for (const button of $('orders').querySelectorAll('button')) button.addEventListener('click', () => this.give(button.dataset.order));
    this.showRights();
  }

  /** A key in the address, at the start or pasted into an open page, does not stay there. */
  take() {
    const given = /^#key=([0-9a-f]+)(\/.*)?$/.exec(location.hash);
    if (given) {
      sessionStorage.setItem('bellows-key', given[1]);
      history.replaceState(null, '', `#${given[2] || '/'}`);
    }
    this.key = sessionStorage.getItem('bellows-key') || '';
  }

  async post(path) {
    const response = await fetch(path, { method: 'POST', headers: { 'X-Bellows-Key': this.key } });
    if (response.status === 403) this.lose();
    if (!response.ok) throw new Error((await response.json().catch(() => ({}))).message || `${response.status} ${response.statusText}`);
    return response;
  }

  /** Another Bellows has another key. */
  lose() {
    this.key = '';
    sessionStorage.removeItem('bellows-key');
    this.showRights();
  }

  showRights() {
    $('orders').hidden = $('output').hidden = !this.key;
    $('rights').hidden = Boolean(this.key);
  }

  /** Only what changes something is offered. */
  draw(service) {
    const isOut = service.state === 'Retired';
    const isHeld = service.paused || isOut;
    const isAtZero = service.ready === 0 && service.starting === 0;
    const offered = { wake: !isHeld && isAtZero, stop: !isOut && !(service.paused && service.desired === 0), pause: !isHeld, resume: isHeld };
    for (const button of $('orders').querySelectorAll('button')) button.disabled = !offered[button.dataset.order];
  }

  async give(order) {
    const name = encodeURIComponent(this.name);
    const pages = { wake: `/v1/control/services/${name}/wake`, stop: `/v1/control/services/${name}/scale?replicas=0`, pause: `/v1/revisions/${name}/pause`, resume: `/v1/revisions/${name}/resume` };
    put($('said'), '');
    try { await this.post(pages[order]); } catch (error) { put($('said'), `${order}: ${error.message}`); }
  }

  async look(name) {
    if (name !== this.name) { this.name = name; this.told = undefined; this.revision = undefined; this.last = 0; $('lines').replaceChildren(); put($('said'), ''); }
    if (!name || !this.key || this.isAsking) return;
    this.isAsking = true;
    try {
      const page = await (await this.post(`/v1/control/services/${encodeURIComponent(name)}/logs?after=${this.last}`)).json();
      if (name === this.name) { this.told = page; this.add(page); }
    } catch { /* the next turn asks again */ }
    this.isAsking = false;
  }

  /** The service with the last lines of its apps in its troubles, which events do not tell. */
  withLines(service) {
    if (!this.told || service.name !== this.name) return service;
    const failed = service.failed_starts && { ...service.failed_starts, last: whole(service.failed_starts.last, this.told.start_failure) };
    return { ...service, trouble: whole(service.trouble, this.told.trouble), failed_starts: failed };
  }

  add(page) {
    // After a deploy the lines are those of another revision, counted from 1.
    const isOther = this.revision !== undefined && this.revision !== page.revision;
    this.revision = page.revision;
    this.last = isOther ? 0 : page.last;
    if (isOther || page.lines.length === 0) return;
    const box = $('lines');
    const follows = box.scrollTop + box.clientHeight >= box.scrollHeight - 4;
    for (const line of page.lines.slice(-KEPT_LINES)) {
      box.append(element('span', line.stream === 'stderr' ? { class: 'stderr' } : {}, `${clock(Date.parse(line.at))} ${line.replica} | ${line.text}\n`));
    }
    while (box.children.length > KEPT_LINES) box.firstChild.remove();
    if (follows) box.scrollTop = box.scrollHeight;
  }
}
