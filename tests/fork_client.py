"""A client of ``fork_server`` in place of the program: its first argument is the server's socket.

It ends like the forked process. It imports little, because it is started many times.
"""

import json
import os
import signal
import socket
import sys

# Signals wait until they can be passed on: the process may answer before its id is known here.
PASSED_ON = signal.SIGINT, signal.SIGTERM, signal.SIGHUP
signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
connection = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
connection.connect(sys.argv[1])
request = json.dumps([sys.argv[2:], os.getcwd(), dict(os.environ)])
socket.send_fds(connection, [request.encode()], [0, 1, 2])
process = int(connection.recv(100))
for number in PASSED_ON:
    signal.signal(number, lambda number, _: os.kill(process, number))
signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
status = int(connection.recv(100))
if status < 0:
    signal.signal(-status, signal.SIG_DFL)
    os.kill(os.getpid(), -status)
os._exit(status)
