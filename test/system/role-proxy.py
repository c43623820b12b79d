# SPDX-License-Identifier: Apache-2.0
"""role-proxy.py MANIFEST ACCOUNT SERVER TOKEN RECORD - an API server that knows roles.

Forwards requests to SERVER, which does not check roles, if the roles of the service account ACCOUNT in MANIFEST permit
them, and answers 403 as Kubernetes does if they do not. RECORD gets a line per distinct request: "allowed" or "denied",
the verb, and what is asked for. Prints its address when it listens.
"""
import http.client
import http.server
import json
import re
import socketserver
import ssl
import sys
import threading
import urllib.parse

import yaml

PATH = re.compile(r'^/(?:api/(?P<core>v1)|apis/(?P<group>[^/]+)/[^/]+)(?:/namespaces/(?P<namespace>[^/]+))?'
                  r'/(?P<resource>[a-z]+)(?:/(?P<name>[^/]+))?(?:/(?P<sub>[a-z]+))?$')
VERBS = {'POST': 'create', 'PUT': 'update', 'PATCH': 'patch', 'DELETE': 'delete'}


def grants_of(manifest, account):
    """Pairs of a namespace (None: everywhere) and a rule."""
    documents = [document for document in yaml.load_all(open(manifest), Loader=yaml.CSafeLoader) if document]
    roles = {(d['kind'], d['metadata'].get('namespace'), d['metadata']['name']): d for d in documents if d['kind'].endswith('Role')}
    for binding in documents:
        if not binding['kind'].endswith('Binding') or 'roleRef' not in binding:
            continue
        if not any(subject['name'] == account for subject in binding['subjects']):
            continue
        reference, namespace = binding['roleRef'], binding['metadata'].get('namespace')
        role = roles[(reference['kind'], namespace if reference['kind'] == 'Role' else None, reference['name'])]
        for rule in role['rules']:
            yield namespace, rule


class Roles:
    def __init__(self, manifest, account):
        self.grants, self.account = list(grants_of(manifest, account)), account

    def permit(self, verb, group, resource, namespace, name):
        return any((where is None or where == namespace) and verb in rule['verbs'] and group in rule['apiGroups'] and
                   resource in rule['resources'] and (not rule.get('resourceNames') or name in rule['resourceNames'])
                   for where, rule in self.grants)


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    seen, lock = set(), threading.Lock()

    def log_message(self, *args):
        pass

    def note(self, line):
        with self.lock:
            if line not in self.seen:
                self.seen.add(line)
                with open(record, 'a') as file:
                    file.write(line + '\n')

    def denial(self):
        """The text of a 403; None: the request is permitted."""
        url = urllib.parse.urlsplit(self.path)
        match = PATH.match(url.path)
        if not match:
            return None  # discovery
        group, resource, name = match['group'] or '', match['resource'], match['name']
        namespace = match['namespace'] or (name if resource == 'namespaces' else None)
        verb = VERBS.get(self.command) or ('get' if name else 'watch' if 'watch=' in url.query else 'list')
        # As in Kubernetes: a list of one name by a field selector is a request about that name.
        chosen = re.search(r'metadata\.name=([^,]+)', urllib.parse.parse_qs(url.query).get('fieldSelector', [''])[0])
        full = resource + ('/' + match['sub'] if match['sub'] else '')
        good = roles.permit(verb, group, full, namespace, name or (chosen and chosen[1]))
        self.note(f'{"allowed" if good else "denied"} {verb} {full}.{group}'.rstrip('.'))
        if good:
            return None
        return (f'{resource} is forbidden: User "system:serviceaccount:volcano-system:{roles.account}" cannot {verb} resource '
                f'"{full}" in API group "{group}" ' + (f'in the namespace "{namespace}"' if namespace else 'at the cluster scope'))

    def answer(self, code, body):
        self.send_response(code)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def forward(self):
        body = self.rfile.read(int(self.headers.get('Content-Length') or 0))
        text = self.denial()
        if text:
            self.answer(403, json.dumps({'kind': 'Status', 'apiVersion': 'v1', 'metadata': {}, 'status': 'Failure', 'message': text,
                                         'reason': 'Forbidden', 'code': 403}).encode())
            return
        server = http.client.HTTPSConnection(target.hostname, target.port, context=context)
        headers = {key: value for key, value in self.headers.items()
                   if key.lower() not in ('host', 'authorization', 'connection', 'accept-encoding')}
        server.request(self.command, self.path, body or None, {**headers, 'Authorization': f'Bearer {token}'})
        reply = server.getresponse()
        self.send_response(reply.status)
        self.send_header('Content-Type', reply.headers.get('Content-Type', 'application/json'))
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        while part := reply.read1(65536):
            self.wfile.write(b'%x\r\n%s\r\n' % (len(part), part))
            self.wfile.flush()
        self.wfile.write(b'0\r\n\r\n')
        server.close()

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = forward


class Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        pass  # a client that closed its connection


manifest, name, server, token, record = sys.argv[1:]
roles, target = Roles(manifest, name), urllib.parse.urlsplit(server)
context = ssl.create_default_context()
context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
listener = Server(('127.0.0.1', 0), Handler)
print(f'http://127.0.0.1:{listener.server_port}', flush=True)
listener.serve_forever()
