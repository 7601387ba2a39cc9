"""Files as the system has them: cut short while they are read, without an end, links, pipes, full disks."""

import json
import os
import resource
import stat
import subprocess
import threading

import _run
from _run import BIN, CONVERSATION, RETAIL, check

MEGABYTE = 1 << 20
PACK = """pack: counter
version: 1.0.0
state: {n: {type: integer}}
ledger: {}
tools:
  add:
    kind: write
    parameters: {type: object, properties: {by: {type: integer}}, required: [by]}
    effects: [{set: n, to: state.n + args.by}]
rules: {}
"""


def text_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


# --- Reading ------------------------------------------------------------------------------------


def large_recording(folder, name):
    """Some 20 MB, so that a reader takes its time."""
    message = {"role": "user", "content": "x" * 1000}
    folder.write(name, json.dumps({"messages": [message] * 20000}))
    return os.path.join(folder.path, name)


def cut_while_it_is_read(folder):
    """Whenever it happens: all of the file is judged, or an error names it. Never a signal."""
    path = large_recording(folder, "large.json")
    size = os.path.getsize(path)
    ended = threading.Event()

    def cut():
        while not ended.is_set():
            os.truncate(path, 4096)
            os.truncate(path, size)

    writer = threading.Thread(target=cut)
    writer.start()
    try:
        for _ in range(6):
            code, _, err = folder.run("show", "large.json", partial=True)
            check(code in (0, 2) and (code == 0 or "large.json" in err), "a file that is cut short while it is read", f"{code}\n{err}")
    finally:
        ended.set()
        writer.join()
    os.remove(path)


def peak(folder, *args, **options):
    """Exit code, standard error, and the most memory that was held, in bytes."""
    reader, writer = os.pipe()
    with subprocess.Popen([BIN, *args], cwd=folder.path, stdout=subprocess.DEVNULL, stderr=writer, env=folder.environment, **options) as process:
        os.close(writer)
        with os.fdopen(reader, encoding="utf-8", errors="replace") as file:
            err = file.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, err, usage.ru_maxrss * 1024


def input_without_an_end(folder):
    """Ends at the limit of streams. A sanitizer keeps what was freed, hence the wide bound on memory."""
    folder.write("schema.json", "{}")
    folder.write("state.json", "{}")
    folder.write("counter.yaml", PACK)
    limit = "is larger than the limit of 67108864 bytes (stream_bytes)"
    for args in (("replay", "--pack", RETAIL, "/dev/zero"), ("show", "/dev/zero"), ("tools", "/dev/zero"), ("check", "/dev/zero"),
                 ("validate", "--schema", "schema.json", "/dev/zero"), ("validate", "--schema", "/dev/zero", "schema.json"),
                 ("cel", "1", "--bind", "/dev/zero"), ("apply", "--pack", "counter.yaml", "--state", "/dev/zero", "calls.json"),
                 ("apply", "--pack", "counter.yaml", "--state", "state.json", "/dev/zero"), ("prove", "/dev/zero"),
                 ("replay", "--pack", RETAIL, CONVERSATION, "--probe", "/dev/zero")):
        code, err, most = peak(folder, *args)
        check(code == 2 and f"/dev/zero {limit}" in err, f"{args}: ends at the limit", f"{code}\n{err}")
        check(most < 480 * MEGABYTE, f"{args}: does not fill memory", most)
    yes = subprocess.Popen(["yes"], stdout=subprocess.PIPE)
    code, err, most = peak(folder, "show", "-", stdin=yes.stdout)
    yes.stdout.close()
    yes.wait()
    check(code == 2 and f"standard input {limit}" in err and most < 480 * MEGABYTE, "`yes` ends at the limit", f"{code} {most}\n{err}")


def limits_that_are_asked_for(folder):
    content = json.dumps([{"role": "user", "content": "x" * 1000}]).encode()
    size = len(content)
    folder.write("a.json", content)
    for most in (str(size), str(size + 1), "2K", "2k", "1M", "1G"):
        for args, stdin in ((("show", "a.json"), b""), (("show", "-"), content)):
            code, _, err = folder.run(*args, "--max-bytes", most, stdin=stdin)
            check(code == 0, f"{args}: --max-bytes {most} is enough", f"{code}\n{err}")
    for most, said in ((str(size - 1), size - 1), ("1K", 1024), ("1", 1)):
        folder.refuses("a file that is larger than asked for", ("show", "a.json", f"--max-bytes={most}"),
                       f"ledgergate: a.json is larger than the limit of {said} bytes (json_bytes)")
        folder.refuses("a stream that is larger than asked for", ("show", "-", "--max-bytes", most),
                       f"ledgergate: standard input is larger than the limit of {said} bytes (stream_bytes)", stdin=content)
    for most in ("", "0", "-1", "x", "1X", "1KK", "1.5M", "99999999999999999999", "99999999999999G"):
        folder.refuses(f"--max-bytes {most!r}", ("show", "a.json", "--max-bytes", most),
                       "ledgergate show: --max-bytes is a number of bytes, for example 500000 or 512M")
    # A recording that is longer than a stream may be by default can still be piped in.
    path = large_recording(folder, "large.json")
    large = text_of(path).encode()
    many = b"[" + b",".join([large] * 4) + b"]"
    code, err = fed(folder, many, "show", "-")
    check(code == 2 and "(stream_bytes)" in err, "80 MB on standard input are more than its limit", f"{code}\n{err}")
    code, err = fed(folder, many, "show", "-", "--max-bytes", "128M")
    check(code == 0, "80 MB on standard input, if they are asked for", f"{code}\n{err}")


def fed(folder, stdin, *args):
    done = subprocess.run([BIN, *args], input=stdin, capture_output=True, env=folder.environment, cwd=folder.path, timeout=300)
    return done.returncode, done.stderr.decode()


# --- Writing ------------------------------------------------------------------------------------


def apply(*out):
    return ("apply", "--pack", "counter.yaml", "--state", "state.json", "calls.json", *out)


AFTER = '{\n  "n": 42\n}\n'


def prepare(folder):
    folder.write("counter.yaml", PACK)
    folder.write("state.json", '{"n": 40}')
    folder.write("calls.json", '[{"name": "add", "arguments": {"by": 2}}]')


def no_remains(folder, sentence):
    left = [name for name in os.listdir(folder.path) if "ledgergate" in name or name.endswith(".tmp")]
    check(not left, f"{sentence}: nothing is left beside it", left)


def regular_files_are_replaced(folder):
    prepare(folder)
    after = os.path.join(folder.path, "after.json")
    for mode in (0o600, 0o644, 0o664, 0o640, 0o755):
        folder.write("after.json", "an older and longer state\n" * 10)
        os.chmod(after, mode)
        before = os.stat(after)
        code, _, err = folder.run(*apply("--out", "after.json"))
        now = os.stat(after)
        check(code == 0 and text_of(after) == AFTER, f"{mode:o}: the state is written", f"{code}\n{err}")
        check(stat.S_IMODE(now.st_mode) == mode, f"{mode:o}: the mode is kept", oct(now.st_mode))
        check((now.st_uid, now.st_gid) == (before.st_uid, before.st_gid), f"{mode:o}: the owner is kept")
        check(now.st_ino != before.st_ino, f"{mode:o}: whoever has the old one open goes on reading it")
    if os.geteuid() == 0:
        os.chown(after, 12345, 23456)
        folder.run(*apply("--out", "after.json"))
        now = os.stat(after)
        check((now.st_uid, now.st_gid, stat.S_IMODE(now.st_mode)) == (12345, 23456, 0o755), "another owner is kept", now)
    code, _, err = folder.run(*apply("--out", "state.json"))
    check(code == 0 and text_of(os.path.join(folder.path, "state.json")) == AFTER, "the state file itself", f"{code}\n{err}")
    no_remains(folder, "a regular file")


def links_are_followed(folder):
    prepare(folder)
    os.mkdir(os.path.join(folder.path, "far"))
    folder.write("far/real.json", "old\n")
    for name, target in (("link.json", "far/real.json"), ("chain.json", "link.json"), ("new-link.json", "far/new.json")):
        os.symlink(target, os.path.join(folder.path, name))
        code, _, err = folder.run(*apply("--out", name))
        check(code == 0 and os.readlink(os.path.join(folder.path, name)) == target, f"{name}: the link stays", f"{code}\n{err}")
        check(text_of(os.path.join(folder.path, name)) == AFTER, f"{name}: its target is written")
    check(sorted(os.listdir(os.path.join(folder.path, "far"))) == ["new.json", "real.json"], "nothing is left beside the targets")
    os.symlink("circle", os.path.join(folder.path, "circle"))
    code, _, err = folder.run(*apply("--out", "circle"))
    check(code == 3 and err == "ledgergate: cannot write circle: Too many levels of symbolic links\n", "a circle of links", f"{code}\n{err}")


def devices_and_pipes_are_written_to(folder):
    prepare(folder)
    pipe = os.path.join(folder.path, "pipe")
    os.mkfifo(pipe)
    seen = []
    reader = threading.Thread(target=lambda: seen.append(text_of(pipe)))
    reader.start()
    code, _, err = folder.run(*apply("--out", "pipe"))
    reader.join()
    check(code == 0 and seen == [AFTER] and stat.S_ISFIFO(os.stat(pipe).st_mode), "a pipe is written to", f"{code} {seen}\n{err}")
    code, _, err = folder.run(*apply("--out", "/dev/null"))
    check(code == 0 and stat.S_ISCHR(os.stat("/dev/null").st_mode), "/dev/null is written to, and stays a device", f"{code}\n{err}")
    code, _, err = folder.run(*apply("--out", "/dev/full"))
    check(code == 3 and err == "ledgergate: cannot write /dev/full: No space left on device\n", "/dev/full is full", f"{code}\n{err}")
    check(stat.S_ISCHR(os.stat("/dev/full").st_mode), "/dev/full stays a device")
    code, out, err = folder.run(*apply("--out", "/dev/stdout"))
    check(code == 0 and out.endswith(AFTER) and out.startswith(" 1  add("), "standard output, a pipe, has all in its order", f"{code}\n{out}{err}")
    path = os.path.join(folder.path, "all.txt")
    with open(path, "wb") as file:
        file.write(b"before\n")
        file.flush()
        code, err = folder.run_into(file, *apply("--out", "/dev/stdout"))
    check(code == 0 and text_of(path) == "before\n" + out, "standard output, a file, has all in its order", f"{code}\n{text_of(path)}{err}")


def what_fails_leaves_the_old_file(folder):
    prepare(folder)
    os.mkdir(os.path.join(folder.path, "folder"))
    folder.write("after.json", "old\n")
    for name, why in (("folder", "Is a directory"), ("none/after.json", "No such file or directory"), ("after.json/x", "Not a directory"),
                      ("x" * 300, "File name too long")):
        code, _, err = folder.run(*apply("--out", name))
        check(code == 3 and err == f"ledgergate: cannot write {name}: {why}\n", f"{name}: {why}", f"{code}\n{err}")
    # A disk on which no file can have more than these bytes.
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5, 5))
    code, err, _ = peak(folder, *apply("--out", "after.json"), preexec_fn=limit)
    check(code == 3 and err == "ledgergate: cannot write after.json: File too large\n", "a file that may not grow", f"{code}\n{err}")
    check(text_of(os.path.join(folder.path, "after.json")) == "old\n", "the old file is what it was")
    no_remains(folder, "a failure")


with _run.Folder() as temporary:
    for test in (
        cut_while_it_is_read,
        input_without_an_end,
        limits_that_are_asked_for,
        regular_files_are_replaced,
        links_are_followed,
        devices_and_pipes_are_written_to,
        what_fails_leaves_the_old_file,
    ):
        test(temporary)
_run.done()
