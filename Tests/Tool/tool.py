"""The tool in pipes, without a terminal: what it answers, and commands that must succeed or fail.

SPDX-License-Identifier: Apache-2.0
"""

import subprocess
import sys

from groups import check

TOOL = sys.argv[1]


def run(*arguments, input=b"", stdout=subprocess.PIPE, **options):
    """The exit code, the output and the message."""
    ended = subprocess.run(
        [TOOL, *arguments], input=input, stdout=stdout, stderr=subprocess.PIPE, start_new_session=True, **options)
    return ended.returncode, ended.stdout, ended.stderr.decode()


def works(*arguments, **options):
    """The output of a command that succeeds and says nothing else."""
    code, output, message = run(*arguments, **options)
    check((code, message) == (0, ""), "%s: %d %s" % (arguments, code, message))
    return output


def fails(code, words, *arguments, **options):
    """It fails with this code and a message that says what to do, and prints nothing on standard output."""
    ended, output, message = run(*arguments, **options)
    check(ended == code, "%s: exit code %d, not %d: %s" % (arguments, ended, code, message))
    check(not output and words in message, "%s: %r %r" % (arguments, output, message))
