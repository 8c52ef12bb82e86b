"""deploy/chart makes the objects of the kustomize bases, and what its values say. tests/kubernetes applies what it makes."""

import copy
import itertools
import json
import pathlib
import re
import unittest

import yaml

from chart_renderer import ACTION, FUNCTIONS, Refused, Renderer, Unknown

LOADER = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)  # the former is the faster
DEPLOY = pathlib.Path(__file__).resolve().parents[2] / 'deploy'
CHART = DEPLOY / 'chart'
NEWEST, OLDEST = 'v1.36.2', 'v1.20.2'


def defaults():
    return yaml.safe_load((CHART / 'values.yaml').read_text())


def loaded_all(text):
    return yaml.load_all(text, LOADER)


def merged(values, changes):
    """As Helm merges what a user sets into values.yaml: maps by key, everything else as a whole."""
    for key, value in changes.items():
        values[key] = merged(values.get(key) or {}, value) if isinstance(value, dict) else value
    return values


def renderer(values=None, kubernetes=NEWEST, namespace='default'):
    chart = yaml.safe_load((CHART / 'Chart.yaml').read_text())
    root = {'Values': merged(defaults(), copy.deepcopy(values or {})),
            'Chart': {'AppVersion': chart['appVersion'], 'Version': chart['version'], 'Name': chart['name']},
            'Release': {'Name': 'bellows', 'Namespace': namespace},
            'Capabilities': {'KubeVersion': {'Version': kubernetes}}}
    return Renderer(root, {f'files/{file.name}': file.read_text() for file in (CHART / 'files').iterdir()})


def rendered(made):
    """{file: text}"""
    texts = {file: file.read_text() for file in sorted((CHART / 'templates').iterdir())}
    bodies = {file.name: made.add(text) for file, text in texts.items()}
    return {name: made.render(body, made.root) for name, body in bodies.items()}


def keyed(documents):
    found = {}
    for item in documents:
        if item:
            key = (item['kind'], item['metadata'].get('namespace', ''), item['metadata']['name'])
            assert key not in found, f'{key} is there twice'
            found[key] = item
    return found


def objects(values=None, **how):
    texts = rendered(renderer(values, **how))
    return keyed(item for name, text in texts.items() if name.endswith('.yaml') for item in loaded_all(text))


def base(folder='.'):
    """The objects of a kustomize base whose kustomization only lists files."""
    listed = yaml.safe_load((DEPLOY / folder / 'kustomization.yaml').read_text())
    return keyed(item for name in listed['resources'] for item in loaded_all((DEPLOY / folder / name).read_text()))


def without_policy_of_helm(made):
    """Helm alone knows this annotation; it keeps the kind when the release is uninstalled."""
    annotations = made[('CustomResourceDefinition', '', 'revisions.bellows.dev')]['metadata'].pop('annotations')
    assert annotations == {'helm.sh/resource-policy': 'keep'}, annotations
    return made


def without_spaces(made):
    """Expressions of CEL are the same with other breaks of lines."""
    policy = made.get(('MutatingAdmissionPolicy', '', 'bellows-inject'))
    if policy:
        mutation = policy['spec']['mutations'][0]['jsonPatch']
        mutation['expression'] = ''.join(mutation['expression'].split())
    return made


def patched(item, operations):
    """A JSON patch (RFC 6902), as far as deploy/each-node uses it."""
    def place(path):
        *parents, last = [int(key) if key.isdigit() else key for key in path.split('/')[1:]]
        owner = item
        for key in parents:
            owner = owner[key]
        return owner, last
    for operation in operations:
        owner, key = place(operation['path'])
        if operation['op'] == 'remove':
            del owner[key]
        elif operation['op'] == 'move':
            old_owner, old_key = place(operation['from'])
            owner[key] = old_owner.pop(old_key)
        elif key == '-':
            owner.append(operation['value'])
        else:
            owner[key] = operation['value']
    return item


def container(made, name, kind='Deployment', namespace='bellows-system'):
    return made[(kind, namespace, f'bellows-{name}')]['spec']['template']['spec']['containers'][0]


class Objects(unittest.TestCase):
    maxDiff = None

    def same(self, made, wanted):
        self.assertEqual(sorted(made), sorted(wanted))
        for key, item in made.items():
            self.assertEqual(item, wanted[key])


class TheSameObjects(Objects):
    def test_as_the_base_by_default(self):
        self.same(without_policy_of_helm(objects()), base())

    def test_as_the_component_each_node(self):
        wanted = base()
        component = yaml.safe_load((DEPLOY / 'each-node' / 'kustomization.yaml').read_text())
        for patch in component['patches']:
            key = (patch['target']['kind'], 'bellows-system', patch['target']['name'])
            item = patched(wanted.pop(key), yaml.safe_load(patch['patch']))
            wanted[(item['kind'], *key[1:])] = item
        self.same(without_policy_of_helm(objects({'activator': {'onEachNode': True}})), wanted)

    def test_as_the_other_bases(self):
        for folder, values in (('recommender', {'recommender': {'enabled': True}}),
                               ('injection-policy', {'injection': {'mode': 'policy'}}),
                               ('network-policies', {'networkPolicies': {'enabled': True}}),
                               ('monitoring', {'monitoring': {'podMonitors': True, 'prometheusRule': True}})):
            with self.subTest(folder):
                self.same(without_spaces(without_policy_of_helm(objects(values))), without_spaces({**base(), **base(folder)}))

    def test_as_the_base_of_the_injector_with_the_image_and_requests_as_flags(self):
        made = without_policy_of_helm(objects({'injection': {'mode': 'webhook'}}))
        version = yaml.safe_load((CHART / 'Chart.yaml').read_text())['appVersion']
        flags = container(made, 'injector')['args']
        self.assertEqual(flags[-2:], [f'--image=localhost/bellows/queue-proxy:{version}', '--requests=cpu=25m,memory=16Mi'])
        del flags[-2:]
        self.same(made, {**base(), **base('injector')})

    def test_as_the_file_for_old_servers(self):
        wanted = keyed(loaded_all((DEPLOY / 'bellows-1.20.yaml').read_text()))
        self.same(without_policy_of_helm(objects(kubernetes=OLDEST)), wanted)
        for minor, budget in ((21, 'policy/v1'), (24, 'policy/v1'), (25, 'policy/v1')):
            made = objects(kubernetes=f'v1.{minor}.0-rc.1')
            self.assertEqual(made[('PodDisruptionBudget', 'bellows-system', 'bellows-activator')]['apiVersion'], budget)

    def test_with_every_combination_of_the_large_choices(self):
        """They are parsed, each name is there once, and all have the label by which `bellows uninstall` finds them."""
        choices = itertools.product(('none', 'policy', 'webhook', 'both'), (False, True), (False, True), (False, True), (False, True))
        for mode, each_node, limited, watched, keep in choices:
            made = objects({'injection': {'mode': mode}, 'recommender': {'enabled': watched}, 'activator': {'onEachNode': each_node}, 'crd': {'keep': keep},
                            'networkPolicies': {'enabled': limited, 'namespaces': [{'name': 'shop', 'otherPorts': 'open'}]},
                            'monitoring': dict.fromkeys(('podMonitors', 'scrapeAnnotations', 'prometheusRule', 'dashboard'), watched)})
            for key, item in made.items():
                self.assertEqual(item['metadata']['labels']['app.kubernetes.io/part-of'], 'bellows', key)


class Values(Objects):
    def test_name_images_and_how_they_are_pulled(self):
        made = objects({'image': {'registry': 'r.example:5000/b', 'tag': '7', 'pullPolicy': 'Always', 'pullSecrets': ['key']},
                        'recommender': {'enabled': True},
                        'injection': {'mode': 'both', 'limits': {'cpu': '1', 'memory': '64Mi'}, 'requests': {'cpu': '5m'}}})
        for name in ('autoscaler', 'activator', 'injector', 'recommender'):
            pod = made[('Deployment', 'bellows-system', f'bellows-{name}')]['spec']['template']['spec']
            self.assertEqual(pod['containers'][0]['image'], f'r.example:5000/b/{name}:7')
            self.assertEqual(pod['containers'][0]['imagePullPolicy'], 'Always')
            self.assertEqual(pod['imagePullSecrets'], [{'name': 'key'}])
        self.assertEqual(container(made, 'injector')['args'][-3:], [
            '--image=r.example:5000/b/queue-proxy:7', '--requests=cpu=5m,memory=16Mi', '--limits=cpu=1,memory=64Mi'])
        policy = made[('MutatingAdmissionPolicy', '', 'bellows-inject')]['spec']['mutations'][0]['jsonPatch']['expression']
        for part in ('image: "r.example:5000/b/queue-proxy:7"', 'requests: {"cpu":"5m","memory":"16Mi"}', 'limits: {"cpu":"1","memory":"64Mi"}'):
            self.assertIn(part, policy)

    def test_name_the_namespace_everywhere(self):
        made = objects({'namespace': {'name': 'scaling'}, 'injection': {'mode': 'both'}, 'recommender': {'enabled': True},
                        'networkPolicies': {'enabled': True, 'namespaces': [{'name': 'shop', 'otherPorts': 'open'}]},
                        'monitoring': {'podMonitors': True, 'prometheusRule': True, 'dashboard': True}})
        self.assertIn('--activator-service=scaling/bellows-activator', container(made, 'autoscaler', namespace='scaling')['args'])
        self.assertIn('--activator-service=scaling/bellows-activator', container(made, 'activator', namespace='scaling')['args'])
        self.assertIn('--autoscaler=ws://bellows-autoscaler.scaling:8080', container(made, 'injector', namespace='scaling')['args'])
        del made[('CustomResourceDefinition', '', 'revisions.bellows.dev')]
        self.assertNotIn('bellows-system', json.dumps(list(made.values())))

    def test_give_rights_in_one_namespace_alone(self):
        made = objects({'watchNamespace': 'shop', 'recommender': {'enabled': True}})
        bound = {key for key in made if key[0].endswith('RoleBinding')}
        self.assertEqual({key[2] for key in bound if key[0] == 'ClusterRoleBinding'}, {'bellows-autoscaler-token-keys'}, 'no right on objects')
        self.assertEqual({key[2] for key in bound if key[1] == 'shop'},
                         {f'bellows-{name}-watched' for name in ('autoscaler', 'autoscaler-deletion-cost', 'activator', 'activator-wake', 'recommender')})
        self.assertEqual({key[2] for key in bound if key[1] == 'bellows-system'},
                         {'bellows-autoscaler', 'bellows-activator-slices', 'bellows-recommender'})
        for name in ('autoscaler', 'activator', 'recommender'):
            self.assertEqual(container(made, name)['args'][-1], '--namespace=shop')
        objects({'watchNamespace': 'bellows-system'})  # no name is there twice

    def test_leave_the_namespace_to_the_release(self):
        namespace = ('Namespace', '', 'bellows-system')
        self.assertIn(namespace, objects())
        self.assertNotIn(namespace, objects(namespace='bellows-system'))
        self.assertNotIn(namespace, objects({'namespace': {'create': False}}))

    def test_leave_parts_out(self):
        self.assertNotIn(('CustomResourceDefinition', '', 'revisions.bellows.dev'), objects({'crd': {'install': False}}))
        self.assertNotIn('annotations', objects({'crd': {'keep': False}})[('CustomResourceDefinition', '', 'revisions.bellows.dev')]['metadata'])
        self.assertNotIn(('ClusterRole', '', 'bellows-activator-wake'), objects({'activator': {'wake': False}}))

    def test_say_how_many_run_with_what_and_where(self):
        limits = {'limits': {'memory': '2Gi'}}
        made = objects({'autoscaler': {'replicas': 1, 'flags': ['--log-level=debug'], 'resources': limits},
                        'activator': {'replicas': 5, 'flags': ['--access-log'], 'resources': limits},
                        'recommender': {'enabled': True, 'replicas': 1, 'flags': ['--policy=vpa'], 'resources': limits},
                        'injection': {'mode': 'webhook', 'webhook': {'replicas': 3, 'flags': ['--log-level=debug'], 'resources': limits}},
                        'pods': {'nodeSelector': {'kind': 'infra'}, 'tolerations': [{'key': 'infra'}], 'priorityClassName': 'high'}})
        for name, replicas, flag in (('autoscaler', 1, '--log-level=debug'), ('activator', 5, '--access-log'), ('injector', 3, '--log-level=debug'),
                                     ('recommender', 1, '--policy=vpa')):
            spec = made[('Deployment', 'bellows-system', f'bellows-{name}')]['spec']
            pod = spec['template']['spec']
            self.assertEqual(spec['replicas'], replicas)
            self.assertEqual(pod['containers'][0]['args'][-1], flag)
            self.assertEqual(pod['containers'][0]['resources']['limits'], limits['limits'])
            self.assertEqual((pod['nodeSelector'], pod['tolerations'], pod['priorityClassName']), ({'kind': 'infra'}, [{'key': 'infra'}], 'high'))
        on_each = objects({'activator': {'onEachNode': True}, 'pods': {'tolerations': [{'key': 'infra'}]}})
        self.assertEqual(on_each[('DaemonSet', 'bellows-system', 'bellows-activator')]['spec']['template']['spec']['tolerations'],
                         [{'operator': 'Exists'}])

    def test_set_the_certificate_of_the_webhook(self):
        own = {'injection': {'mode': 'webhook', 'webhook': {'certManager': False, 'caBundle': 'Q0E='}}}
        made = objects(own)
        webhooks = made[('MutatingWebhookConfiguration', '', 'bellows-injector')]
        self.assertEqual([each['clientConfig']['caBundle'] for each in webhooks['webhooks']], ['Q0E='] * 2)
        self.assertNotIn('annotations', webhooks['metadata'])
        self.assertEqual([key for key in made if key[0] in ('Issuer', 'Certificate')], [])
        own['injection']['webhook']['caBundle'] = ''
        with self.assertRaisesRegex(Refused, 'injection.webhook.caBundle'):
            objects(own)

    def test_refuse_what_an_older_server_cannot_do(self):
        for values, name, minor in (({'injection': {'mode': 'both'}}, 'injection.mode', 36), ({'activator': {'onEachNode': True}}, 'activator.onEachNode', 23),
                                    ({'networkPolicies': {'enabled': True}}, 'networkPolicies.enabled', 22)):
            objects(values, kubernetes=f'v1.{minor}.0')
            with self.assertRaisesRegex(Refused, f'{name}: .*1.{minor}.*v1.{minor - 1}.4'):
                objects(values, kubernetes=f'v1.{minor - 1}.4')

    def test_name_the_peers_of_network_policies(self):
        server, reader = {'ipBlock': {'cidr': '192.0.2.1/32'}}, {'podSelector': {'matchLabels': {'app': 'agent'}}}
        made = objects({'injection': {'mode': 'webhook'}, 'networkPolicies': {
            'enabled': True, 'apiServer': [server], 'monitoring': [reader],
            'namespaces': [{'name': 'shop', 'otherPorts': 'open'}, {'name': 'bank', 'otherPorts': 'closed'}]}})
        def rules(namespace, name):
            return made[('NetworkPolicy', namespace, name)]['spec']['ingress']
        stats = rules('bellows-system', 'bellows-autoscaler')[0]
        self.assertEqual((stats['from'][0], stats['from'][-1], len(stats['from'])), (server, reader, 4))
        self.assertEqual(rules('bellows-system', 'bellows-injector')[0]['from'], [server])
        self.assertEqual(rules('bellows-system', 'bellows-activator')[1]['from'], [server, reader])
        self.assertEqual(rules('shop', 'bellows-queue-proxies')[1:], rules('bank', 'bellows-queue-proxies'))
        self.assertEqual(rules('bank', 'bellows-queue-proxies')[1]['from'], [reader])
        shop = yaml.safe_load((DEPLOY / 'network-policies' / 'queue-proxies.yaml').read_text())['spec']['ingress']
        self.assertEqual(rules('shop', 'bellows-queue-proxies')[:2], shop[:2])

    def test_turn_on_what_prometheus_and_grafana_read(self):
        made = objects({'monitoring': {'scrapeAnnotations': True, 'dashboard': True, 'prometheusRule': True, 'labels': {'release': 'p'}}})
        for name, port in (('autoscaler', '8080'), ('activator', '8022')):
            pod = made[('Deployment', 'bellows-system', f'bellows-{name}')]['spec']['template']
            self.assertEqual(pod['metadata']['annotations'], {'prometheus.io/scrape': 'true', 'prometheus.io/port': port})
        board = made[('ConfigMap', 'bellows-system', 'bellows-board')]
        self.assertEqual(json.loads(board['data']['bellows.json']), json.loads((DEPLOY / 'monitoring' / 'grafana-board.json').read_text()))
        self.assertEqual((board['metadata']['labels']['grafana_dashboard'], board['metadata']['labels']['release']), ('1', 'p'))
        self.assertEqual(made[('PrometheusRule', 'bellows-system', 'bellows')]['metadata']['labels']['release'], 'p')


def paths(values, prefix=''):
    """Names of the values that are no maps, or empty ones."""
    for key, value in values.items():
        name = f'{prefix}{key}'
        yield from paths(value, f'{name}.') if isinstance(value, dict) and value and key not in ('resources', 'requests') else [name]


def breaches(schema, value, name='', root=None):
    """What a validator of JSON schemas would say of a value, as far as values.schema.json goes."""
    root = root or schema
    if '$ref' in schema:
        schema = root['definitions'][schema['$ref'].rsplit('/', 1)[1]]
    kinds = {'object': dict, 'array': list, 'string': str, 'boolean': bool, 'integer': int}
    kind = kinds.get(schema.get('type'), object)
    if not isinstance(value, kind) or kind is int and isinstance(value, bool):
        return [f'{name}: no {schema["type"]}']
    found = [f'{name}: not one of {schema["enum"]}'] if value not in schema.get('enum', [value]) else []
    if not re.search(schema.get('pattern', ''), value if isinstance(value, str) else ''):
        found.append(f'{name}: has not the form {schema["pattern"]}')
    if isinstance(value, int) and value < schema.get('minimum', value):
        found.append(f'{name}: too small')
    for item in value if isinstance(value, list) else []:
        found += breaches(schema.get('items', {}), item, f'{name}[]', root)
    for key, item in value.items() if isinstance(value, dict) else []:
        known = schema.get('properties', {})
        if key not in known and schema.get('additionalProperties') is False:
            found.append(f'{name}.{key}: not allowed')
        found += breaches(known.get(key, schema.get('additionalProperties') or {}), item, f'{name}.{key}', root)
    return found + [f'{name}: {key} is missing' for key in schema.get('required', []) if key not in value]


class Rules(unittest.TestCase):
    def test_every_value_has_a_comment_a_user_and_a_place_in_the_schema(self):
        everything = renderer({'injection': {'mode': 'both', 'webhook': {'certManager': False, 'caBundle': 'Q0E='}},
                               'recommender': {'enabled': True}, 'networkPolicies': {'enabled': True, 'namespaces': [{'name': 'shop', 'otherPorts': 'open'}]},
                               'monitoring': dict.fromkeys(('podMonitors', 'scrapeAnnotations', 'prometheusRule', 'dashboard'), True)})
        rendered(everything)
        unused = [name for name in paths(defaults()) if not any(used == name or used.startswith(f'{name}.') for used in everything.used)]
        self.assertEqual(unused, [], 'no template uses it')
        schema = json.loads((CHART / 'values.schema.json').read_text())
        def same_keys(part, values, name):
            self.assertEqual(set(part.get('properties', {})) - {'global'}, set(values), name)
            for key, value in values.items():
                inner = part['properties'][key]
                if isinstance(value, dict) and 'properties' in inner and key not in ('requests', 'limits'):
                    same_keys(inner, value, f'{name}.{key}')
        same_keys(schema, defaults(), '')
        lines = (CHART / 'values.yaml').read_text().splitlines()
        for before, line in zip(lines, lines[1:]):
            if re.match(r'( {2}| {4})\w+:', line) and not re.match(r' +(cpu|memory|requests|limits|podSelector|webhook):', line):
                self.assertRegex(before, '^ *# ', f'{line.strip()} has no comment before it')

    def test_the_schema_names_a_wrong_value(self):
        schema = json.loads((CHART / 'values.schema.json').read_text())
        self.assertEqual(breaches(schema, defaults()), [])
        for changes, name in (({'activater': {}}, '.activater'), ({'activator': {'replica': 3}}, '.activator.replica'),
                              ({'activator': {'replicas': 0}}, '.activator.replicas'), ({'activator': {'replicas': '3'}}, '.activator.replicas'),
                              ({'injection': {'mode': 'yes'}}, '.injection.mode'), ({'image': {'tag': 'a b'}}, '.image.tag'),
                              ({'autoscaler': {'flags': ['listen=1']}}, '.autoscaler.flags'), ({'image': {'registry': ''}}, '.image.registry'),
                              ({'networkPolicies': {'namespaces': [{'name': 'shop'}]}}, '.networkPolicies.namespaces'),
                              ({'monitoring': {'dashboard': 'on'}}, '.monitoring.dashboard')):
            found = breaches(schema, merged(defaults(), changes))
            self.assertTrue(len(found) == 1 and found[0].startswith(name), (changes, found))

    def test_notes_have_the_commands_of_these_values(self):
        notes = rendered(renderer())['NOTES.txt']
        self.assertIn('bellows inject web.yaml | kubectl apply -f -', notes)
        self.assertLess(notes.index('bellows uninstall'), notes.index('helm uninstall bellows --namespace default'))
        notes = rendered(renderer({'injection': {'mode': 'policy'}, 'namespace': {'name': 'scaling'}}, namespace='scaling'))['NOTES.txt']
        self.assertIn('kubectl label namespace shop inject.bellows.dev/inject=enabled', notes)
        self.assertIn('bellows check -A --autoscaler-service=scaling/bellows-autoscaler', notes)

    def test_an_unknown_function_or_value_fails_with_its_name(self):
        made = renderer()
        for text, name in (('{{ lookup "v1" }}', 'function lookup'), ('{{ .Values.image.tga }}', 'value image.tga'),
                           ('{{ if .Values.crd.keep }}', 'ends with None'), ('{{ end }}', 'end without')):
            with self.assertRaisesRegex(Unknown, name):
                made.render(made.add(text), made.root)
        actions = ' '.join(found[2] for file in (CHART / 'templates').iterdir() for found in ACTION.finditer(file.read_text()))
        self.assertEqual([name for name in FUNCTIONS if not re.search(rf'(?<![\w."]){name}\b', actions)], [], 'a function that no template uses')


if __name__ == '__main__':
    unittest.main()
