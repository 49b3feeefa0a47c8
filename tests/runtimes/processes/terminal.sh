#!/bin/bash
# bash python3
# a pseudo-terminal of Python's, and on it a shell with jobs: stopped, continued and interrupted by keys
python3 - <<'END'
import os, pty, re

child, fd = pty.fork()
if not child:
    os.environ.update(PS1='prompt ', TERM='dumb')
    os.execvp('bash', ['bash', '--norc', '--noprofile', '--noediting', '-i'])
text = ''

def until(pattern):
    global text
    while not re.search(pattern, text):
        text += os.read(fd, 1000).decode()
    print('seen', pattern)
    text = ''

def type(keys):
    os.write(fd, keys.encode())

until('prompt ')
type('tty | cut -c -9; stty size\n')
until(r'(?s)/dev/pts/\r.*0 0.*prompt ')
type('cat\n')
type('line\n')
until('line\r\nline')
type('\x1a')
until('(?s)Stopped.*cat.*prompt ')
type('jobs\n')
until(r'(?s)\[1\].*cat.*prompt ')
type('fg\n')
until('(?s)fg.*cat')
type('\x03')
until(r'(?s)\^C.*prompt ')
type('exit $?\n')
print('status', os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
try:
    while os.read(fd, 1000):
        pass
except OSError as error:
    print('end', error.errno)
END
