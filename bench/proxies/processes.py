"""Processes of a measurement: started here, watched through /proc, ended here by their ids."""

import contextlib
import os
import signal
import socket
import subprocess
import time

TICK = os.sysconf("SC_CLK_TCK")


@contextlib.contextmanager
def running(command, env=None, core=None, log=subprocess.DEVNULL):
    """The process, ended with SIGTERM (SIGKILL after 5 s) when the block is left."""
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
    """{pid: name} of every process below `pid`."""
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


def memory(pid, key="VmRSS"):
    """In bytes; VmRSS is resident memory."""
    for line in open(f"/proc/{pid}/status"):
        if line.startswith(key + ":"):
            return int(line.split()[1]) * 1024
    raise ValueError(f"/proc/{pid}/status has no {key}")


def until(condition, what, limit=30.0):
    """What `condition` returns once that is true; an error that names `what` after `limit` seconds."""
    end_at = time.monotonic() + limit
    while True:
        found = condition()
        if found:
            return found
        if time.monotonic() > end_at:
            raise TimeoutError(f"not within {limit:.0f} s: {what}")
        time.sleep(0.005)


def listens(port):
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False
