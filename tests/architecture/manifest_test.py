"""deploy/bellows.yaml is what its pieces make, accounts and roles that it names are in it, and an activator may write nothing
but numbers of replicas and itself out of EndpointSlices, and that only by the piece that is made to be left out."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def objects():
    """(kind, name, text) of each object; each begins with apiVersion and has metadata.name at the usual place."""
    for text in re.split(r'^---$', (ROOT / 'deploy' / 'bellows.yaml').read_text(), flags=re.M):
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


def patches_of_nothing(all_objects):
    """The component each-node patches objects of ours, at places that they have; tests/kubernetes/deploy_test.py applies it."""
    there = {(kind, name): text for kind, name, text in all_objects}
    component = (ROOT / 'deploy' / 'each-node' / 'kustomization.yaml').read_text()
    patches = re.findall(r'kind: (\w+)\n    name: (\S+)\n((?:(?!- target:).*\n)+)', component)
    if len(patches) != 2:
        yield f'deploy/each-node: want patches of the activators and of the autoscaler, not {len(patches)}'
    for kind, name, patch in patches:
        text = there.get((kind, name), '')
        changed = re.findall(r'op: (?:replace|remove), path: /(\S+)[,}]|op: move, from: /([^,]+)|path: /(\S+)/-,', patch)
        for path in (each.strip(',}') for found in changed for each in found if each):
            key = path.split('/')[-1]
            if not re.search(rf'^ *{key}:', text, re.M):
                yield f'deploy/each-node: {kind} {name} has no {path}'


def main():
    stale = subprocess.run([ROOT / 'tools' / 'manifest', '--check'], capture_output=True, text=True, check=False)
    problems = stale.stdout.splitlines()
    everything = list(objects())
    if {'bellows-autoscaler', 'bellows-activator'} - {name for kind, name, _ in everything if kind == 'Deployment'}:
        problems.append('deploy/bellows.yaml: autoscaler and activator are not both there')
    for look in (names_that_do_not_exist, selectors_that_select_nothing, activators_that_may_write, patches_of_nothing):
        problems += look(everything)
    print('\n'.join(problems))
    return 1 if problems else 0


if __name__ == '__main__':
    sys.exit(main())
