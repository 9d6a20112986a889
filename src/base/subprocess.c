// SPDX-License-Identifier: Apache-2.0
// subprocess.c - runs a program to its end: what it says is collected, and it is stopped when it takes too long.
//
// posix_spawn, no shell: arguments are passed as they are. The child leads a process group of its own, so that the time
// limit ends its children too; it reads nothing (/dev/null), and output and errors go into one pipe.
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

static int process_start(const char *const *argv, int output, pid_t *out_pid) {
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) return ENOMEM;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return ENOMEM;
    }
    int e = posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (e == 0) e = posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    if (e == 0) e = posix_spawn_file_actions_adddup2(&actions, output, STDERR_FILENO);
    // The caller may block or ignore signals; the child begins with none blocked and the ordinary SIGPIPE and SIGCHLD.
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    sigaddset(&usual, SIGCHLD);
    if (e == 0) e = posix_spawnattr_setsigmask(&attributes, &none);
    if (e == 0) e = posix_spawnattr_setsigdefault(&attributes, &usual);
    if (e == 0) e = posix_spawnattr_setpgroup(&attributes, 0);
    if (e == 0)
        e = posix_spawnattr_setflags(&attributes,
                                     POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (e == 0) e = posix_spawnp(out_pid, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return e;
}

// Another thread sets it at any time, and a little later is soon enough.
CH_NO_TSAN static bool process_cancelled(const volatile int *cancel) { return cancel != NULL && *cancel != 0; }

// Reads until the pipe's last writer is gone or the time is over; what does not fit into said is thrown away.
static bool process_listen(int fd, double until, const volatile int *cancel, char *said, size_t size) {
    size_t n = 0;
    char rest[4096];
    for (;;) {
        double left = until - ch__now();
        if (left <= 0 || process_cancelled(cancel)) return false;
        struct pollfd p = {.fd = fd, .events = POLLIN};
        double slice = cancel != NULL && left > 0.05 ? 0.05 : left; // a cancel is seen within 50 ms
        int ready = poll(&p, 1, slice > 60 ? 60000 : (int)(slice * 1000) + 1);
        if (ready < 0 && errno != EINTR) return true;
        if (ready <= 0) continue;
        bool room = n + 1 < size;
        ssize_t got = read(fd, room ? said + n : rest, room ? size - 1 - n : sizeof rest);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return true;
        if (room) n += (size_t)got;
        if (size > 0) said[n] = '\0';
    }
}

static void process_signal(pid_t pid, int number) {
    kill(-pid, number);
    kill(pid, number); // the group may not exist yet
}

// First asked, so that it can remove its files (a compiler has some in /tmp); what is left after half a second is
// killed, and so is what its first process left behind. That one is not waited for here: its number stays its own.
static void process_kill(pid_t pid) {
    process_signal(pid, SIGTERM);
    for (int i = 0; i < 100; i++) {
        siginfo_t ended = {0};
        if (waitid(P_PID, (id_t)pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid == pid) break;
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    process_signal(pid, SIGKILL);
}

static int process_wait(pid_t pid) {
    int status = 0;
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : WIFSIGNALED(status) ? 128 + WTERMSIG(status) : -1;
}

ch_status ch__subprocess(const char *const *argv, double seconds, const volatile int *cancel, char *said, size_t size,
                         int *out_exit) {
    int ends[2];
    pid_t pid;
    if (size > 0) said[0] = '\0';
    if (pipe(ends) != 0)
        return ch__fail(CH__E_subprocess, "%s: no pipe could be made: system error %d", argv[0], errno);
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    int e = process_start(argv, ends[1], &pid);
    close(ends[1]);
    if (e != 0) {
        close(ends[0]);
        return ch__fail(CH__E_subprocess, "%s: %s", argv[0],
                        e == ENOENT   ? "there is no such program"
                        : e == EACCES ? "permission denied"
                        : e == ENOMEM ? "no memory to start it"
                                      : "it could not be started");
    }
    bool ended = process_listen(ends[0], ch__now() + seconds, cancel, said, size);
    if (!ended) process_kill(pid);
    close(ends[0]);
    *out_exit = process_wait(pid);
    if (ended) return CH_OK;
    if (process_cancelled(cancel)) return ch__fail(CH__E_cancelled, "%s: cancelled by the caller", argv[0]);
    return ch__fail(CH__E_subprocess, "%s: stopped after %d seconds — that is the limit", argv[0], (int)seconds);
}
