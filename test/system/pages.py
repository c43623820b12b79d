#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""pages.py BIN PAGE... - run what the pages say to type, and compare what they show.

Blocks of code are marked by their language. In `sh` blocks every line is a command. In `console` blocks a line that
begins with "$ " is a command, and the lines after it are its output. Nothing else is run: `yaml` and `text` blocks
are for reading, and a block of commands after a line `<!-- not run: REASON -->`. Blocks are fenced: one that is only
indented is an error, since it does not say whether it is to be typed. Each command has to end with exit code 0. `...` in shown output stands for any text, as a whole
line for any number of lines; runs of spaces count as one. Commands that only read are repeated until they print
what is shown, since another part of the system may still be writing it.

Each page has a data directory and a working folder of its own, with a copy of examples/. A page that does not start
volcano itself finds it running, with 8 CPUs and the scheduler configuration of examples/tour. Prints TAP.
"""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FENCE = re.compile(r'^( *)```(\w*)\s*$')
NOT_RUN = re.compile(r'^ *<!-- not run: (.+) -->$')
READS = re.compile(r'^(vcctl (\w+ )?(list|explain|tree|get|view|logs|top|describe)\b|vjobs|vqueues|kubectl (get|describe|logs|top)|volcano status)')
WAITS = re.compile(r'^job \S+ (waits|is waiting); .*explain.*$')
PATIENCE = 120
UP = 'volcano up -d --node-resources cpu=8,memory=16Gi --scheduler-conf examples/tour/scheduler.yaml'
checks = 0
failed = 0


def check(good, what, detail=''):
    global checks, failed
    checks += 1
    failed += not good
    print(f'{"ok" if good else "not ok"} {checks} - {what}', flush=True)
    if not good:
        print(''.join(f'#   {line}\n' for line in detail.splitlines()[:60]), end='', flush=True)


def check_fences(page):
    """No block of code is only indented; lists and tables may be."""
    fenced, previous, in_list = False, '', False
    for number, line in enumerate(page.read_text().splitlines(), 1):
        if FENCE.match(line):
            fenced = not fenced
        in_list = bool(re.match(r'\s*([-*]|\d+\.) ', line)) or (in_list and (not line.strip() or line.startswith(' ')))
        if not fenced and not in_list and line.startswith('    ') and not previous.strip():
            check(False, f'{page}:{number}: a block of code is fenced', line)
        previous = line


def blocks_of(page):
    """The blocks of a page that are to be typed or read: language, number of the first line, lines."""
    language, previous = None, ''
    for number, line in enumerate(page.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if fence and language is None:
            language, first, indent, lines = fence[2], number + 1, len(fence[1]), []
            reason = NOT_RUN.match(previous)
            if reason:
                language = 'text'
                check(True, f'{page}:{number} # SKIP {reason[1]}')
        elif fence and not fence[2]:
            yield language, first, lines
            language = None
        elif language is not None:
            lines.append(line[indent:] if line[:indent].strip() == '' else line)
        previous = line


def command_of(lines, at):
    """The command that begins at a line, which may be longer than one line, and the index after it."""
    text = lines[at]
    at += 1
    while text.endswith('\\') and at < len(lines):
        text, at = text + '\n' + lines[at], at + 1
    here = re.search(r'<<-?\s*[\'"]?(\w+)', text)
    while here and at < len(lines):
        text, at = text + '\n' + lines[at], at + 1
        if lines[at - 1].strip() == here[1]:
            return text, at
    while at < len(lines) and subprocess.run(['sh', '-n'], input=text, text=True, capture_output=True).returncode:
        text, at = text + '\n' + lines[at], at + 1
    return text, at


def steps_of(page):
    """What is to be typed: line, command, and what is shown of its output, or None."""
    for language, first, lines in blocks_of(page):
        at = 0
        if language == 'sh':
            while at < len(lines):
                start = at
                command, at = command_of(lines, at)
                if command.strip() and not command.startswith('#'):
                    yield first + start, command, None
        elif language == 'console':
            while at < len(lines):
                start = at
                assert lines[at].startswith('$ '), f'{page}:{first + at}: a console block begins with a command'
                lines[at] = lines[at][2:]
                command, at = command_of(lines, at)
                shown = []
                while at < len(lines) and not lines[at].startswith('$ '):
                    shown.append(lines[at])
                    at += 1
                yield first + start, command, shown


def agrees(shown, printed):
    """Whether an output is the one that is shown."""
    lines = [' '.join(line.split()) for line in shown]
    pattern = ''.join('(?:.*\n)*?' if line == '...' else '.*?'.join(map(re.escape, line.split('...'))) + '\n'
                      for line in lines if line)
    text = ''.join(' '.join(line.split()) + '\n' for line in printed.splitlines()
                   if line.strip() and not WAITS.match(line))
    return re.fullmatch(pattern, text) is not None


class World:
    """A home directory and a working folder for one page."""

    def __init__(self, programs):
        self.top = pathlib.Path(tempfile.mkdtemp())
        self.top.chmod(0o1777)
        self.work = self.top / 'work'
        self.work.mkdir()
        self.work.chmod(0o1777)
        shutil.copytree('examples', self.work / 'examples')
        (self.top / 'bin').mkdir()
        (self.top / 'bin' / 'kubectl').symlink_to(os.environ.get('KUBECTL_NEW', '/nonexistent'))
        self.environment = dict(os.environ, HOME=str(self.top), LC_ALL='C.UTF-8', NO_COLOR='1',
                                PATH=f'{programs}:{self.top}/bin:{os.environ["PATH"]}')
        for name in ('KUBECONFIG', 'VOLCANO_HOME'):
            self.environment.pop(name, None)

    def run(self, command):
        process = subprocess.Popen(['sh', '-c', command], cwd=self.work, env=self.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   start_new_session=True)
        try:
            return process.communicate(timeout=PATIENCE)[0], process.returncode
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            return f'{process.communicate()[0]}(took longer than {PATIENCE} s)', 1

    def step(self, where, command, shown):
        if command.startswith('export '):  # holds for the rest of the page
            name, value = command[len('export '):].split('=', 1)
            self.environment[name] = os.path.expandvars(value).replace('~', str(self.top)) \
                if name != 'PATH' else self.environment[name]
            return
        developer = re.match(r'./dev (\w+)', command)  # too long to run: it must exist
        if developer:
            listed = re.search(rf'^  {developer[1]}\b', pathlib.Path('dev').read_text(), re.MULTILINE)
            check(listed, f'{where}: ./dev has the command {developer[1]}')
            return
        command = re.sub(r'^volcano up\b', 'volcano up --listen 127.0.0.1:0', command, flags=re.MULTILINE)
        end = time.monotonic() + PATIENCE
        while True:
            printed, code = self.run(command)
            good = code == 0 and (shown is None or agrees(shown, printed))
            if good or not READS.match(command) or time.monotonic() > end:
                break
            time.sleep(0.2)
        want = '' if shown is None else '\nshown:\n' + '\n'.join(shown)
        check(good, f'{where}: {command.splitlines()[0]}', f'exit code {code}, printed:\n{printed}{want}')

    def left(self):
        """Processes that were started by the page and have not ended."""
        found = []
        for process in pathlib.Path('/proc').glob('[0-9]*'):
            try:
                if f'{self.top}/'.encode() in (process / 'cmdline').read_bytes():
                    found.append((process / 'cmdline').read_bytes().replace(b'\0', b' ').decode(errors='replace'))
            except OSError:
                pass
        return found

    def close(self, page):
        self.run('volcano down --pods')
        end = time.monotonic() + PATIENCE
        while (left := self.left()) and time.monotonic() < end:
            time.sleep(0.1)
        check(not left, f'{page}: no process is left', '\n'.join(left))
        shutil.rmtree(self.top, ignore_errors=True)


def main():
    programs = os.path.abspath(sys.argv[1])
    for page in map(pathlib.Path, sys.argv[2:]):
        check_fences(page)
        steps = list(steps_of(page))
        if not steps:
            continue
        world = World(programs)
        try:
            if not any(re.match(r'volcano up\b', command) for _, command, _ in steps):
                world.step(page, UP, None)
            for line, command, shown in steps:
                world.step(f'{page}:{line}', command, shown)
        finally:
            world.close(page)
    print(f'1..{checks}')
    sys.exit(failed > 0)


main()
