"""The templates of deploy/chart: the pieces of deploy/ with values at the places that the tables below name.

A place is a text that its piece has once. A piece that has it no more, or twice, is an error with the names of both.
"""

import re
from dataclasses import dataclass

SYSTEM = 'bellows-system'
NAMESPACE = '{{ .Values.namespace.name }}'
RULES_FOR_FIELDS = re.compile(r'^ +x-kubernetes-validations:\n(?: +- rule: .*\n +message: .*\n)+', re.M)
IMAGE = re.compile(r'image: (")?\S+?/(autoscaler|activator|injector|recommender|queue-proxy):[^\s"]+"?')
MADE = '{{{{- /* Made from deploy/{piece} by tools/manifest. */ -}}}}\n'


@dataclass
class Template:
    piece: str
    places: list  # [text of the piece, what the template has there]
    when: str = ''  # the condition of the whole


def lines(spaces, text):
    """The lines of `text`, each with that indentation."""
    return ''.join(f'{" " * spaces}{line}\n' for line in text.strip().splitlines())


def since(minor, what, otherwise):
    """Ends the rendering for older servers; `otherwise` is what the user does instead."""
    version = '.Capabilities.KubeVersion.Version'
    return (f'{{{{- if semverCompare "<1.{minor}-0" {version} }}}}\n'
            f'{{{{- fail (printf "{what} Kubernetes 1.{minor}, and this is %s: {otherwise}" {version}) }}}}\n{{{{- end }}}}\n')


def flags(value):
    return lines(8, f'{{{{- range {value} }}}}\n- {{{{ . | quote }}}}\n{{{{- end }}}}')


def resources(text, values):
    """The place of a container's resources; `text` is what the piece has."""
    return [lines(8, text), f'        resources: {{{{- toYaml {values} | nindent 10 }}}}\n']


def pod(name, account, port='', is_tolerant=''):
    """Places that every pod template has: annotations, and what helper bellows.pod makes. is_tolerant: it tolerates all then."""
    labels = lines(8, f'app.kubernetes.io/name: {name}\napp.kubernetes.io/part-of: bellows')
    annotations = '' if not port else lines(6, f'''
{{{{- if .Values.monitoring.scrapeAnnotations }}}}
annotations:
  prometheus.io/scrape: "true"
  prometheus.io/port: "{port}"
{{{{- end }}}}''')
    tolerations = '''
{{- with .Values.pods.tolerations }}
tolerations: {{- toYaml . | nindent 6 }}
{{- end }}'''
    if is_tolerant:
        tolerations = f'{{{{- if {is_tolerant} }}}}\ntolerations: [{{operator: Exists}}]\n{{{{- else }}}}{tolerations}\n{{{{- end }}}}'
    line = f'      serviceAccountName: {account}\n'
    return [[labels, labels + annotations],
            [line, line + '      {{- include "bellows.pod" . | nindent 6 }}\n' + lines(6, tolerations)]]


def labels_of_monitoring(name):
    text = lines(4, f'app.kubernetes.io/name: {name}\napp.kubernetes.io/part-of: bellows')
    return text, text + lines(4, '{{- with .Values.monitoring.labels }}\n{{- toYaml . | nindent 4 }}\n{{- end }}')


def binding(name):
    """The place of a ClusterRoleBinding that is a RoleBinding if Bellows works in one namespace. Another one may have its name there."""
    watched = '.Values.watchNamespace'
    return [f'kind: ClusterRoleBinding\nmetadata:\n  name: {name}\n',
            f'kind: {{{{ if {watched} }}}}RoleBinding{{{{ else }}}}ClusterRoleBinding{{{{ end }}}}\nmetadata:\n'
            f'  name: {name}{{{{ if {watched} }}}}-watched{{{{ end }}}}\n  {{{{- with {watched} }}}}\n  namespace: {{{{ . }}}}\n  {{{{- end }}}}\n']


BETA_OF_BUDGETS = ('apiVersion: policy/v1\n',
                   'apiVersion: {{ if semverCompare "<1.21-0" .Capabilities.KubeVersion.Version }}policy/v1beta1{{ else }}policy/v1{{ end }}\n')
ON_EACH_NODE = '.Values.activator.onEachNode'
API_SERVER = '''
    {{- with .Values.networkPolicies.apiServer }}
    from: {{- toYaml . | nindent 4 }}'''
PROMETHEUS = '''  - from:
    - namespaceSelector: {}
      podSelector:
        matchLabels:
          app.kubernetes.io/name: prometheus
'''
READERS = '''  - from: {{- toYaml $.Values.networkPolicies.monitoring | nindent 4 }}
'''
LIMITS = '{{- with .Values.injection.limits }}'

AUTOSCALER = Template('autoscaler.yaml', [
    ['replicas: 2 #', 'replicas: {{ .Values.autoscaler.replicas }} #'],
    ['        - --log-format=json\n', '        - --log-format=json\n' + lines(8, f'''
{{{{- if ne .Values.namespace.name "{SYSTEM}" }}}}
- --activator-service={NAMESPACE}/bellows-activator
{{{{- end }}}}
{{{{- with .Values.watchNamespace }}}}
- --namespace={{{{ . }}}}
{{{{- end }}}}
{{{{- if {ON_EACH_NODE} }}}}
- --activators-on-each-node=true
{{{{- end }}}}''') + flags('.Values.autoscaler.flags')],
    resources('''
resources:
  requests:
    cpu: 100m
    memory: 64Mi
  limits:
    memory: 512Mi''', '.Values.autoscaler.resources'),
    *pod('bellows-autoscaler', 'bellows-autoscaler', '8080')])

ACTIVATOR = Template('activator.yaml', [
    ['apiVersion: apps/v1\n', f'{{{{- if {ON_EACH_NODE} }}}}\n' + since(23, 'activator.onEachNode: needs', 'set false')
     + '{{- end }}\napiVersion: apps/v1\n'],
    ['kind: Deployment\n', f'kind: {{{{ if {ON_EACH_NODE} }}}}DaemonSet{{{{ else }}}}Deployment{{{{ end }}}}\n'],
    ['  replicas: 2\n', f'  {{{{- if not {ON_EACH_NODE} }}}}\n  replicas: {{{{ .Values.activator.replicas }}}}\n  {{{{- end }}}}\n'],
    ['  strategy:\n', f'  {{{{ if {ON_EACH_NODE} }}}}updateStrategy{{{{ else }}}}strategy{{{{ end }}}}:\n'],
    ['      affinity:\n', f'      {{{{- if not {ON_EACH_NODE} }}}}\n      affinity:\n'],
    ['                  app.kubernetes.io/name: bellows-activator\n',
     '                  app.kubernetes.io/name: bellows-activator\n      {{- end }}\n'],
    ['        - --log-format=json\n', '        - --log-format=json\n' + lines(8, f'''
{{{{- if ne .Values.namespace.name "{SYSTEM}" }}}}
- --activator-service={NAMESPACE}/bellows-activator
{{{{- end }}}}
{{{{- with .Values.watchNamespace }}}}
- --namespace={{{{ . }}}}
{{{{- end }}}}''') + flags('.Values.activator.flags')],
    resources('''
resources:
  requests:
    cpu: 200m
    memory: 128Mi
  limits:
    memory: 1Gi''', '.Values.activator.resources'),
    *pod('bellows-activator', 'bellows-activator', '8022', ON_EACH_NODE)])

INJECTOR = Template('injector/injector.yaml', [
    ['replicas: 2\n', 'replicas: {{ .Values.injection.webhook.replicas }}\n'],
    ['        - --log-format=json\n', '        - --log-format=json\n' + lines(8, f'''
- --image={{{{ .Values.image.registry }}}}/queue-proxy:{{{{ .Values.image.tag | default .Chart.AppVersion }}}}
{{{{- if ne .Values.namespace.name "{SYSTEM}" }}}}
- --autoscaler=ws://bellows-autoscaler.{NAMESPACE}:8080
{{{{- end }}}}
- --requests=cpu={{{{ .Values.injection.requests.cpu }}}},memory={{{{ .Values.injection.requests.memory }}}}
{LIMITS}
- --limits={{{{ if .cpu }}}}cpu={{{{ .cpu }}}}{{{{ end }}}}{{{{ if and .cpu .memory }}}},{{{{ end }}}}{{{{ if .memory }}}}memory={{{{ .memory }}}}{{{{ end }}}}
{{{{- end }}}}''') + flags('.Values.injection.webhook.flags')],
    resources('''
resources:
  requests:
    cpu: 50m
    memory: 32Mi
  limits:
    memory: 128Mi''', '.Values.injection.webhook.resources'),
    *pod('bellows-injector', 'bellows-injector')], 'has .Values.injection.mode (list "webhook" "both")')

RECOMMENDER = Template('recommender/recommender.yaml', [
    ['replicas: 2 #', 'replicas: {{ .Values.recommender.replicas }} #'],
    ['        - --log-format=json\n', '        - --log-format=json\n' + lines(8, '''
{{- with .Values.watchNamespace }}
- --namespace={{ . }}
{{- end }}''') + flags('.Values.recommender.flags')],
    resources('''
resources:
  requests:
    cpu: 50m
    memory: 64Mi
  limits:
    memory: 512Mi''', '.Values.recommender.resources'),
    *pod('bellows-recommender', 'bellows-recommender', '8942')], '.Values.recommender.enabled')

WEBHOOK = Template('injector/webhook.yaml', [
    ['  annotations:\n', '  {{- if .Values.injection.webhook.certManager }}\n  annotations:\n'],
    [' # sets caBundle\n', ' # sets caBundle\n  {{- end }}\n'],
    ['  clientConfig: &client\n', '''  clientConfig: &client
    {{- if not .Values.injection.webhook.certManager }}
    caBundle: {{ required "injection.webhook.caBundle: without certManager the CA of the certificate, in base64" .Values.injection.webhook.caBundle }}
    {{- end }}
''']], INJECTOR.when)

POLICY = Template('injection-policy/policy.yaml', [
    ['requests: {\n                "cpu": "25m",\n                "memory": "16Mi"\n              }', 'requests: {{ toJson .Values.injection.requests }}'],
    ['limits: {\n                "memory": "128Mi"\n              }',
     'limits: {{ if .Values.injection.limits }}{{ toJson .Values.injection.limits }}{{ else }}{"memory": "128Mi"}{{ end }}'],
    ['# The API server gives labelled pods', since(36, 'injection.mode: a policy needs', 'set webhook') + '# The API server gives labelled pods']],
    'has .Values.injection.mode (list "policy" "both")')

SYSTEM_POLICIES = Template('network-policies/system.yaml', [
    ['    - port: 8080\n', f'''    - port: 8080{API_SERVER}
    - namespaceSelector: {{}}
      podSelector:
        matchExpressions:
        - {{key: bellows.dev/revision, operator: Exists}}
    - podSelector:
        matchLabels:
          app.kubernetes.io/name: bellows-activator
    {{{{- with $.Values.networkPolicies.monitoring }}}}
    {{{{- toYaml . | nindent 4 }}}}
    {{{{- end }}}}
    {{{{- end }}}}
'''],
    ['    - port: 8443\n', f'    - port: 8443{API_SERVER}\n    {{{{- end }}}}\n'],
    ['    - port: 8022\n', f'''    - port: 8022{API_SERVER}
    {{{{- with $.Values.networkPolicies.monitoring }}}}
    {{{{- toYaml . | nindent 4 }}}}
    {{{{- end }}}}
    {{{{- end }}}}
'''],
    ['# Who may open', since(22, 'networkPolicies.enabled: ranges of ports need', 'set false') + '# Who may open']], '.Values.networkPolicies.enabled')

QUEUE_PROXY_POLICIES = Template('network-policies/queue-proxies.yaml', [
    ['apiVersion: networking', '{{- range .Values.networkPolicies.namespaces }}\n---\napiVersion: networking'],
    ['  name: bellows-queue-proxies\n', '  name: bellows-queue-proxies\n  namespace: {{ .name }}\n'],
    ['  - ports:\n', '  {{- if eq .otherPorts "open" }}\n  - ports:\n'],
    ['protocol: UDP}\n', 'protocol: UDP}\n  {{- end }}\n'],
    [f'name: {NAMESPACE}\n', f'name: {NAMESPACE.replace(".", "$.", 1)}\n'],
    [PROMETHEUS, READERS],
    ['    ports:\n    - port: 8022\n', '    ports:\n    - port: 8022\n{{- end }}\n']], '.Values.networkPolicies.enabled')

TEMPLATES = [
    Template('crd.yaml', [
        ['  name: revisions.bellows.dev\n', '''  name: revisions.bellows.dev
  {{- if .Values.crd.keep }}
  annotations:
    helm.sh/resource-policy: keep
  {{- end }}
''']], '.Values.crd.install'),
    Template('namespace.yaml', [], 'and .Values.namespace.create (ne .Values.namespace.name .Release.Namespace)'),
    AUTOSCALER, ACTIVATOR,
    Template('disruption-budget.yaml', []),
    Template('activator-rbac.yaml', [binding('bellows-activator')]),
    Template('activator-wake.yaml', [binding('bellows-activator-wake')], '.Values.activator.wake'),
    Template('service-account.yaml', []),
    Template('rbac.yaml', [binding('bellows-autoscaler'), binding('bellows-autoscaler-deletion-cost')]),
    RECOMMENDER, Template('recommender/recommender-rbac.yaml', [binding('bellows-recommender')], RECOMMENDER.when),
    INJECTOR, WEBHOOK,
    Template('injector/certificate.yaml', [], f'and .Values.injection.webhook.certManager ({INJECTOR.when})'),
    POLICY, SYSTEM_POLICIES, QUEUE_PROXY_POLICIES,
    Template('monitoring/pod-monitors.yaml', [], '.Values.monitoring.podMonitors'),
    Template('monitoring/prometheus-rule.yaml', [], '.Values.monitoring.prometheusRule')]
ALERTS = 'monitoring/prometheus-rule.yaml'
BOARD = 'monitoring/grafana-board.json'


def with_places(template, text):
    """Raises ValueError with the place that the piece does not have once."""
    for place, value in template.places:
        if text.count(place) != 1:
            raise ValueError(f'deploy/{template.piece} has {text.count(place)} times, not once, what tools/chart_templates.py replaces: '
                             f'{place.strip().splitlines()[0]}')
        text = text.replace(place, value)
    return text


def template_text(template, text):
    """The template that the text of a piece becomes."""
    if template.piece == ALERTS:
        text = text.split('\nspec:\n')[0] + '\nspec:\n{{ .Files.Get "files/alerts.yaml" | replace "' + SYSTEM + '" .Values.namespace.name }}\n'
    elif '{{' in text:
        raise ValueError(f'deploy/{template.piece} has {{{{, which a template would take as its own')
    if template.piece == 'crd.yaml':
        text = RULES_FOR_FIELDS.sub(lambda rules: '{{- if semverCompare ">=1.23-0" .Capabilities.KubeVersion.Version }}\n'
                                    + rules[0] + '{{- end }}\n', text)
    if template.piece != ALERTS:
        text = text.replace(SYSTEM, NAMESPACE)
    else:
        text = text.replace(f'namespace: {SYSTEM}\n', f'namespace: {NAMESPACE}\n')
    if template.piece.startswith('monitoring/'):
        text = text.replace(*labels_of_monitoring('bellows'))
    text = IMAGE.sub(r'image: \1{{ .Values.image.registry }}/\2:{{ .Values.image.tag | default .Chart.AppVersion }}\1', text)
    text = re.sub(r'(?m)^( +)image: {{[^"\n]*\n', r'\g<0>\1{{- with .Values.image.pullPolicy }}\n\1imagePullPolicy: {{ . }}\n\1{{- end }}\n', text)
    text = with_places(template, text.replace(*BETA_OF_BUDGETS)).removeprefix('---\n')
    made = MADE.format(piece=template.piece)
    return made + (f'{{{{- if {template.when} }}}}\n{text}{{{{- end }}}}\n' if template.when else text)


def chart_files(version, read):
    """{path below deploy/chart: text}. read(path) is the text of a file below deploy/."""
    found = {f'templates/{template.piece.rpartition("/")[2]}': template_text(template, read(template.piece)) for template in TEMPLATES}
    found['files/alerts.yaml'] = read(ALERTS).split('\nspec:\n')[1]
    found['files/grafana-board.json'] = read(BOARD)
    chart = re.sub(r'(?m)^version: .*', f'version: {version}', read('chart/Chart.yaml'))
    found['Chart.yaml'] = re.sub(r'(?m)^appVersion: .*', f'appVersion: "{version}"', chart)
    return found
