"""deploy/bellows.yaml is what its pieces make, accounts and roles that it names are in it, and an activator may write nothing
but numbers of replicas and itself out of EndpointSlices, and that only by the piece that is made to be left out."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def objects(file='bellows.yaml'):
    """(kind, name, text) of each object; each begins with apiVersion and has metadata.name at the usual place."""
    for text in re.split(r'^---$', (ROOT / 'deploy' / file).read_text(), flags=re.M):
        kind = re.search(r'^kind: (\w+)$', text, re.M)
        name = re.search(r'^metadata:\n  name: (\S+)$', text, re.M)
        if kind and name:
            yield kind[1], name[1], text


def names_that_do_not_exist(all_objects):
    there = {(kind, name) for kind, name, _ in all_objects}
    for kind, name, text in all_objects:
        wanted = [('ServiceAccount', each) for each in re.findall(r'serviceAccountName: (\S+)', text)]
        wanted += re.findall(r'^  (?:- )?kind: (ClusterRole|ServiceAccount)\n  +name: (\S+)', text, re.M)
        wanted += re.findall(r'^- kind: (ServiceAccount)\n  name: (\S+)', text, re.M)
        if kind in ('Deployment', 'ClusterRoleBinding') and not wanted:
            yield f'{kind} {name}: it names no account'
        for each in wanted:
            if each not in there:
                yield f'{kind} {name}: there is no {each[0]} {each[1]}'


def selectors_that_select_nothing(all_objects):
    labels = {name for kind, name, text in all_objects
              if kind == 'Deployment' and f'        app.kubernetes.io/name: {name}\n' in text}
    for kind, name, text in all_objects:
        if kind not in ('Service', 'PodDisruptionBudget'):
            continue
        selected = re.search(r'selector:\n(?:    matchLabels:\n)? +app.kubernetes.io/name: (\S+)', text)
        if not selected or selected[1] not in labels:
            yield f'{kind} {name}: no Deployment has the label that it selects'


def activators_that_may_write(all_objects):
    for kind, name, text in all_objects:
        rules = re.findall(r'resources: \[(.*)\]\n  verbs: \[(.*)\]', text)
        if kind != 'ClusterRole' or 'activator' not in name:
            continue
        if not rules:
            yield f'ClusterRole {name}: it has no rules'
        for resources, verbs in rules:
            writes = set(verbs.split(', ')) - {'get', 'list', 'watch'}
            is_scale = writes == {'patch'} and all(each.endswith('/scale') for each in resources.split(', '))
            is_slice = writes == {'update'} and resources == 'endpointslices'
            if writes and not (name == 'bellows-activator-wake' and (is_scale or is_slice)):
                yield f'ClusterRole {name}: it may {verbs} {resources}'


def what_is_special_on_each_node():
    """The activators of bellows-each-node.yaml are those of bellows.yaml: same account, container and settings, in a DaemonSet."""
    usual = {name: (kind, text) for kind, name, text in objects() if kind == 'Deployment'}
    special = {name: (kind, text) for kind, name, text in objects('bellows-each-node.yaml') if kind in ('Deployment', 'DaemonSet')}
    if special['bellows-activator'][0] != 'DaemonSet':
        yield 'deploy/bellows-each-node.yaml: its activators are no DaemonSet'
    if not re.search(r'^      tolerations:\n      - operator: Exists$', special['bellows-activator'][1], re.M):
        yield 'deploy/bellows-each-node.yaml: tainted nodes have no activator'
    for name, part in (('bellows-activator', r'^      (serviceAccountName: .*|containers:\n(?:.*\n)*)'),
                       ('bellows-autoscaler', r'^      (serviceAccountName: .*)')):
        if re.findall(part, usual[name][1], re.M) != re.findall(part, special[name][1], re.M):
            yield f'deploy/bellows-each-node.yaml: {name} differs from that of bellows.yaml'
    if '--activators-on-each-node=true' not in special['bellows-autoscaler'][1]:
        yield 'deploy/bellows-each-node.yaml: the autoscaler is not told'
    others = [[each for each in objects(file) if each[0] not in ('Deployment', 'DaemonSet')]
              for file in ('bellows.yaml', 'bellows-each-node.yaml')]
    if others[0] != others[1]:
        yield 'deploy/bellows-each-node.yaml: other objects than those of bellows.yaml'


def main():
    stale = subprocess.run([ROOT / 'tools' / 'manifest', '--check'], capture_output=True, text=True, check=False)
    problems = stale.stdout.splitlines()
    everything = list(objects())
    if {'bellows-autoscaler', 'bellows-activator'} - {name for kind, name, _ in everything if kind == 'Deployment'}:
        problems.append('deploy/bellows.yaml: autoscaler and activator are not both there')
    for look in (names_that_do_not_exist, selectors_that_select_nothing, activators_that_may_write):
        problems += look(everything)
    problems += what_is_special_on_each_node()
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
