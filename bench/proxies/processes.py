"""The processes of a measurement: started, observed through /proc, and ended by pid."""

import contextlib
import os
import signal
import socket
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def running(command, env=None, core=None, log=subprocess.DEVNULL):
    """Starts a process; the end of the block ends it with SIGTERM (SIGKILL after 5 s)."""
    pinned = (["taskset", "-c", core] if core else []) + command
    process = subprocess.Popen(pinned, env={**os.environ, **(env or {})}, stdout=log, stderr=subprocess.STDOUT)
    try:
        yield process
    finally:
        end(process)


def end(process):
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(5)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def children(pid):
    """{pid: name} of every descendant of `pid`."""
    found, todo = {}, [pid]
    while todo:
        parent = todo.pop()
        with contextlib.suppress(OSError):
            for thread in os.listdir(f"/proc/{parent}/task"):
                for child in open(f"/proc/{parent}/task/{thread}/children").read().split():
                    found[int(child)] = open(f"/proc/{child}/comm").read().strip()
                    todo.append(int(child))
    return found


def cpu_seconds(pid):
    """User and system time so far."""
    fields = open(f"/proc/{pid}/stat").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def cpu_seconds_of_threads(pid):
    """{number: user and system time so far} of each thread."""
    found = {}
    for thread in os.listdir(f"/proc/{pid}/task"):
        with contextlib.suppress(OSError):
            nanoseconds = open(f"/proc/{pid}/task/{thread}/schedstat").read().split()[0]
            found[thread] = int(nanoseconds) / 1e9
    return found


def memory(pid, key="VmRSS"):
    """In bytes; VmRSS is resident memory."""
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"/proc/{pid}/status has no {key}")


def until(condition, what, limit=30.0):
    """Polls `condition` until it is true and returns its value; after `limit` seconds an error that names `what`."""
    end_at = time.monotonic() + limit
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end_at:
            raise TimeoutError(f"not within {limit:.0f} s: {what}")
        time.sleep(0.005)


def until_listens(process, port):
    """Until something listens at the port; an error that names the command if the process ends before that."""
    def is_ready():
        if process.poll() is not None:
            raise RuntimeError(f"ended with {process.returncode} before port {port} was listened at: {' '.join(process.args)}")
        return listens(port)
    until(is_ready, f"port {port} is listened at")


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
