// The revisions of the selected service: the share of the requests that each gets, and the deploy that is under way.
'use strict';

/** The services that a revision may belong to, the likelier one first: the first revision has the name of its service, later ones end in a number. */
function servicesOf(name) {
  const first = name.replace(/-\d{5,}$/, '');
  return first === name ? [name] : [first, name];
}

/** Asks again and again while it is shown. Only one machine has the page; elsewhere nothing is shown. */
class Revisions {
  constructor(ask) {
    this.ask = ask;
    this.isKnown = true;
  }

  async look(name) {
    this.name = name;
    if (!name || !this.isKnown) return;
    const isShown = [...$('shares').querySelectorAll('tr')].some((row) => row.dataset.revision === name);
    if (!isShown) $('revisions').hidden = true;  // of another service
    let service;
    try {
      for (const candidate of servicesOf(name)) {
        const found = (await this.ask(`/v1/services/${encodeURIComponent(candidate)}`)).services[0];
        if (found?.revisions?.some((revision) => revision.name === name)) { service = found; break; }
      }
    } catch (error) {
      this.isKnown = !error.message.endsWith(' 404');
      return;
    }
    if (name === this.name) this.draw(service);
  }

  draw(service) {
    const shown = (service?.revisions ?? []).filter((revision) => revision.state !== 'Retired');
    const rollout = service?.rollout?.stage === 'done' ? undefined : service?.rollout;
    const hasChoice = shown.length > 1 || shown.some((revision) => revision.tags.length > 0);
    $('revisions').hidden = !hasChoice && !rollout;
    put($('rollout'), rollout ? `${rollout.cause}: ${rollout.message}` : '');
    $('rollout').className = rollout?.stage === 'failed' ? 'trouble' : 'why';
    $('rollout').hidden = !rollout;
    $('shares').hidden = !hasChoice;
    // A link that has the focus keeps it while nothing changes.
    const drawn = JSON.stringify(shown);
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const head = element('tr', {}, ...['revision', 'share of the requests', 'tags', 'state', 'ready', 'command'].map((title) => element('th', { scope: 'col' }, title)));
    $('shares').replaceChildren(head, ...shown.map((revision) => this.row(revision)));
  }

  row(revision) {
    const bar = element('u');
    bar.style.width = `${revision.share}%`;
    return element('tr', { 'data-revision': revision.name },
      element('td', {}, element('a', { href: `#/${encodeURIComponent(revision.name)}` }, revision.name)),
      element('td', { class: 'share' }, `${revision.share} %`, element('span', { class: 'meter' }, bar)),
      element('td', {}, revision.tags.join(', ')),
      element('td', revision.failure ? { class: 'bad' } : {}, revision.failure || revision.state),
      element('td', {}, String(revision.ready)),
      element('td', { class: 'command' }, revision.command.join(' ') || '–'));
  }
}
