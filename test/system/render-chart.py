# SPDX-License-Identifier: Apache-2.0
"""render-chart.py FOLDER - the rules of tools/render-chart, one by one, as TAP.

Each row is a template and what Helm prints for it; ERROR and a part of the text where Helm refuses. The expected
texts follow from the documentation of Go's text/template and of Helm's functions.
"""
import pathlib
import subprocess
import sys

VALUES = '''
a: 1
name: text
empty: ""
none: ~
yes: true
list: [x, y]
map: {b: 2, a: {c: deep}}
texts: |
  one
  two
'''
ERROR = 'ERROR '
ROWS = [
    ('fields', '{{ .Values.name }} {{ .Values.map.a.c }}', 'text deep'),
    ('a field that is missing', '[{{ .Values.nothing }}]', '[]'),
    ('a field of what is missing', '{{ .Values.nothing.more }}', ERROR + 'nil pointer evaluating'),
    ('a field of a text', '{{ .Values.name.more }}', ERROR + "can't evaluate field more"),
    ('numbers and truth', '{{ .Values.a }} {{ .Values.yes }} {{ 1.5 }} {{ "q\\"" }} {{ `raw\\` }}', '1 true 1.5 q" raw\\'),
    ('spaces are cut on both sides', 'a \n {{- "b" -}} \n c', 'abc'),
    ('and only where asked', 'a {{ "b" -}} \n c', 'a bc'),
    ('a minus needs a space', 'a {{ -1 }}', 'a -1'),
    ('remarks', 'a{{/* nothing */}}b', 'ab'),
    ('if', '{{ if .Values.yes }}y{{ else }}n{{ end }}{{ if .Values.empty }}y{{ end }}', 'y'),
    ('else if', '{{ if .Values.empty }}1{{ else if .Values.a }}2{{ else }}3{{ end }}', '2'),
    ('empty things are false', '{{ range list .Values.none "" 0 false (list) (dict) }}{{ if . }}y{{ else }}n{{ end }}{{ end }}', 'nnnnnn'),
    ('with changes the dot', '{{ with .Values.map.a }}{{ .c }}{{ $.Values.a }}{{ end }}', 'deep1'),
    ('with else keeps it', '{{ with .Values.none }}x{{ else }}{{ .Values.a }}{{ end }}', '1'),
    ('range over a list', '{{ range .Values.list }}<{{ . }}>{{ end }}', '<x><y>'),
    ('range with a number', '{{ range $i, $v := .Values.list }}{{ $i }}{{ $v }}{{ end }}', '0x1y'),
    ('range over a map, sorted', '{{ range $k, $v := .Values.map }}{{ $k }} {{ end }}', 'a b '),
    ('range else', '{{ range .Values.none }}x{{ else }}none{{ end }}', 'none'),
    ('variables', '{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}', '2'),
    ('a variable of a block ends with it', '{{ range $v := .Values.list }}{{ end }}{{ $v }}', ERROR + 'undefined variable $v'),
    ('an unknown variable', '{{ $nothing }}', ERROR + 'undefined variable'),
    ('pipelines', '{{ .Values.name | quote | indent 2 }}', '  "text"'),
    ('brackets', '{{ (index .Values.map "a").c }}', 'deep'),
    ('define and include', '{{ define "t" }}<{{ .x }}>{{ end }}{{ include "t" (dict "x" 5) | quote }}', '"<5>"'),
    ('include sees no variable', '{{ define "t" }}{{ $y }}{{ end }}{{ $y := 1 }}{{ include "t" . }}', ERROR + 'undefined variable $y'),
    ('an unknown template', '{{ include "none" . }}', ERROR + 'no template "none"'),
    ('an unknown function', '{{ nothing 1 }}', ERROR + 'function "nothing" not defined'),
    ('a missing end', '{{ if true }}x', ERROR + 'has no end'),
    ('an end too many', 'x{{ end }}', ERROR + 'ends nothing'),
    ('signs that are none', '{{ .Values.a ! }}', ERROR + 'cannot read'),
    ('a bracket too many', '{{ (1) ) }}', ERROR + 'unexpected ")"'),
    ('and, or, not', '{{ and 1 0 }} {{ or 0 "a" }} {{ not 0 }}', '0 a true'),
    ('eq with several', '{{ eq .Values.name "a" "text" }} {{ ne 1 2 }} {{ gt 2 1 }}', 'true true true'),
    ('default', '{{ .Values.empty | default "d" }} {{ .Values.a | default 5 }} {{ default "d" .Values.none }}', 'd 1 d'),
    ('coalesce and ternary', '{{ coalesce .Values.none "" "c" }} {{ ternary "y" "n" true }}', 'c y'),
    ('toYaml sorts, nindent indents', 'x:{{ toYaml .Values.map | nindent 2 }}', 'x:\n  a:\n    c: deep\n  b: 2'),
    ('lists are not indented', '{{ toYaml (dict "l" .Values.list) }}', 'l:\n- x\n- "y"'),
    ('texts of several lines', '{{ toYaml (dict "t" .Values.texts) }}', 't: |\n  one\n  two'),
    ('toJson', '{{ toJson .Values.map }}', '{"a":{"c":"deep"},"b":2}'),
    ('fromYaml', '{{ (fromYaml "p: {q: 1}").p.q }}', '1'),
    ('printf', '{{ printf "%s-%d" "a" 3 }}', 'a-3'),
    ('texts', '{{ trim " a " }}{{ trimSuffix "b" "ab" }}{{ trunc 2 "xyz" }}{{ replace "a" "b" "aa" }}{{ contains "a" "ba" }}', 'aaxybbtrue'),
    ('lists', '{{ splitList "," "a,b" | join "-" }} {{ has "x" .Values.list }} {{ len .Values.list }}', 'a-b true 2'),
    ('merge: the first wins', '{{ toJson (merge (dict "a" 1) (dict "a" 2 "b" 3)) }}', '{"a":1,"b":3}'),
    ('fail', '{{ fail "because" }}', ERROR + 'because'),
    ('required', '{{ required "is needed" .Values.none }}', ERROR + 'is needed'),
    ('release and chart', '{{ .Release.Name }} {{ .Release.Namespace }} {{ .Chart.Name }} {{ .Chart.AppVersion }}', 'volcano volcano-system small 7'),
    ('files', '{{ .Files.Get "files/f.txt" }}{{ range $p, $x := .Files.Glob "files/*" }}{{ base $p }}{{ end }}', 'content\nf.txt'),
    ('API versions', '{{ .Capabilities.APIVersions.Has "some/v1" }} {{ .Capabilities.APIVersions.Has "other/v1" }}', 'true false'),
]
SCHEMA = '''{"type": "object", "additionalProperties": false, "properties": {"a": {"type": "integer", "minimum": 1},
"name": {"type": "string", "pattern": "^[a-z]*$"}, "empty": {"type": "string"}, "none": {"type": ["string", "null"]},
"yes": {"enum": [true]}, "list": {"type": "array", "items": {"type": "string"}}, "map": {"type": "object"},
"texts": {"type": "string"}}}'''
SETS = [
    ('a=2', None), ('a=0', 'a: 0 is not between 1 and -'), ('a=x', 'a: integer is expected, not "x"'), ('a=true', 'a: integer is expected'),
    ('name=B', 'name: "B" does not match'), ('none=x', None), ('yes=false', 'yes: must be one of true'),
    ('list=[1]', 'list[0]: string is expected'), ('more=1', 'there is no value more'), ('map.b=9', None),
]
count = failures = 0


def check(good, what, detail=''):
    global count, failures
    count += 1
    failures += not good
    print(f'{"ok" if good else "not ok"} {count} - {what}')
    for line in [] if good else detail.splitlines():
        print(f'#   {line}')


def run(folder, *flags):
    return subprocess.run([sys.executable, 'tools/render-chart', str(folder), '--api', 'some/v1', *flags],
                          capture_output=True, text=True, check=False)


def main():
    folder = pathlib.Path(sys.argv[1]) / 'small'
    (folder / 'templates').mkdir(parents=True)
    (folder / 'files').mkdir()
    (folder / 'files' / 'f.txt').write_text('content\n')
    (folder / 'Chart.yaml').write_text('name: small\nappVersion: "7"\n')
    (folder / 'values.yaml').write_text(VALUES)
    page = folder / 'templates' / 'page.yaml'
    for what, template, want in ROWS:
        page.write_text('kind: X\n' + template)
        result = run(folder)
        if want.startswith(ERROR):
            check(result.returncode and want.removeprefix(ERROR) in result.stderr, what, result.stdout + result.stderr)
        else:
            got = result.stdout.partition('kind: X\n')[2]
            check(got == want.rstrip('\n') + '\n', what, f'got:  {got!r} {result.stderr}\nwant: {want!r}')
    page.write_text('kind: X\n')
    (folder / 'values.schema.json').write_text(SCHEMA)
    for text, want in SETS:
        result = run(folder, '--set', text)
        check(want in result.stderr if want else result.returncode == 0, f'--set {text}', result.stderr)
    (folder / 'values.schema.json').write_text('{"oneOf": []}')
    check('oneOf is not known' in run(folder).stderr, 'a keyword that is not known is no silent pass')
    print(f'1..{count}')
    sys.exit(failures > 0)


main()
