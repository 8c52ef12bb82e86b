// The revisions of the selected service: the share of the requests that each gets, and the deploy that is under way.
'use strict';

/** A deploy, a rollback or a split as a word and what it did; undefined: no request goes elsewhere by it. */
function shareChange({ before, shares }) {
  const used = (all) => Object.entries(all).filter(([, share]) => share > 0);
  const leading = (all) => used(all).reduce((best, [name, share]) => (share >= (all[best] ?? 0) ? name : best), '');
  const number = (name) => Number(/-(\d+)$/.exec(name)?.[1] ?? 0);
  const kindOf = (name) => (number(name) < number(leading(before)) ? 'rollback' : 'deploy');
  if (JSON.stringify(used(before)) === JSON.stringify(used(shares))) {
    const added = Object.keys(shares).find((name) => !(name in before));
    return added && [kindOf(added), `${added} starts`];
  }
  const kind = leading(before) === leading(shares) ? 'shares' : kindOf(leading(shares));
  return [kind, used(shares).map(([name, share]) => `${share} % of the requests to ${name}`).join(', ')];
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
    if (this.shown !== name) $('revisions').hidden = true;  // of another service
    let service;
    try {
      service = (await this.ask(`/v1/services/${encodeURIComponent(name)}`)).services[0];
    } catch (error) {
      this.isKnown = !error.message.endsWith(' 404');
      return;
    }
    if (name !== this.name) return;
    this.shown = name;
    this.draw(service);
  }

  draw(service) {
    const shown = (service?.revisions ?? []).filter((revision) => revision.state !== 'Retired' || revision.share > 0);
    const rollout = service?.rollout?.stage === 'done' ? undefined : service?.rollout;
    const hasChoice = shown.length > 1 || shown.some((revision) => revision.tags.length > 0);
    $('revisions').hidden = !hasChoice && !rollout;
    put($('rollout'), rollout ? `${rollout.cause}: ${rollout.message}` : '');
    $('rollout').className = rollout?.stage === 'failed' ? 'trouble' : 'why';
    $('rollout').hidden = !rollout;
    $('shares').hidden = !hasChoice;
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
      element('td', {}, revision.name),
      element('td', { class: 'share' }, `${revision.share} %`, element('span', { class: 'meter' }, bar)),
      element('td', {}, revision.tags.join(', ')),
      element('td', revision.failure ? { class: 'bad' } : {}, revision.failure || revision.state),
      element('td', {}, String(revision.ready)),
      element('td', { class: 'command' }, revision.command.join(' ') || '–'));
  }
}
