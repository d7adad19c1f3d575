/* A disk and a network that fail on demand: loaded before the C library, it stands between the program and
 * the calls below.
 *
 *   PROBITY_SHIM_MARK     only files whose path contains this are touched
 *   PROBITY_SHIM_CALLS    which calls count: letters of w (write), s (sync), t (truncate),
 *                         o (open for writing)
 *   PROBITY_SHIM_TURN     the n-th of them fails, counted from 1
 *   PROBITY_SHIM_FAULT    EIO, ENOSPC, EROFS or EDQUOT; `kill` ends the process by SIGKILL; `power` does so
 *                         after taking back every write that no sync has covered
 *   PROBITY_SHIM_LASTING  `once`, or `for_good`: every later call fails too
 *   PROBITY_SHIM_HIT      a file that is made when the fault strikes, with the call and its path
 *   PROBITY_SHIM_CLOCK    seconds by which the wall clock is wrong
 *   PROBITY_SHIM_NETWORK  `none`: any connection to another program ends the process by SIGABRT
 *
 * A failing write has written half of its bytes, as a full disk does. The program under test knows nothing
 * of this file.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))real(#name))

/* One write that no sync has covered yet: what stood there before. */
struct undo {
    struct undo *next;
    char path[512];
    off_t at;
    off_t size_before;
    size_t length;
    char before[];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long turns;
static int struck;
static struct undo *undone;

static void *real(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

static const char *setting(const char *name) {
    const char *value = getenv(name);
    return value ? value : "";
}

static int path_of(int fd, char *path, size_t size) {
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, size - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return 1;
}

static int marked(const char *path) {
    const char *mark = setting("PROBITY_SHIM_MARK");
    return *mark && strstr(path, mark);
}

static int marked_fd(int fd) {
    char path[512];
    return path_of(fd, path, sizeof path) && marked(path);
}

static int loses_power(void) { return strcmp(setting("PROBITY_SHIM_FAULT"), "power") == 0; }

/* Keeps what stands at `at`, so that a loss of power can take the write back. */
static void remember(int fd, off_t at, size_t length) {
    char path[512];
    if (!loses_power() || !path_of(fd, path, sizeof path) || !marked(path)) return;
    /* The index of the write-ahead log is shared memory: the next process makes it anew, and threads that still
     * run must not find it cut short. */
    if (strstr(path, "-shm")) return;
    struct stat stat;
    struct undo *entry = calloc(1, sizeof *entry + length);
    if (!entry || fstat(fd, &stat) || !path_of(fd, entry->path, sizeof entry->path)) abort();
    entry->at = at;
    entry->size_before = stat.st_size;
    /* The descriptor may be for writing only, so the bytes are read through another one. */
    int reading = REAL(open)(entry->path, O_RDONLY);
    ssize_t n = reading < 0 ? 0 : pread(reading, entry->before, length, at);
    if (reading >= 0) close(reading);
    entry->length = n < 0 ? 0 : (size_t)n;
    pthread_mutex_lock(&lock);
    entry->next = undone;
    undone = entry;
    pthread_mutex_unlock(&lock);
}

/* A sync covers every write to the file so far. */
static void forget(int fd) {
    char path[512];
    if (!loses_power() || !path_of(fd, path, sizeof path)) return;
    pthread_mutex_lock(&lock);
    for (struct undo **place = &undone; *place;) {
        struct undo *entry = *place;
        if (strcmp(entry->path, path) == 0) {
            *place = entry->next;
            free(entry);
        } else {
            place = &entry->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

static void take_back(void) {
    for (struct undo *entry = undone; entry; entry = entry->next) {
        int fd = REAL(open)(entry->path, O_WRONLY);
        if (fd < 0) continue;
        if (REAL(pwrite)(fd, entry->before, entry->length, entry->at) < 0) abort();
        if (REAL(ftruncate)(fd, entry->size_before)) abort();
        close(fd);
    }
}

static void end_process(void) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
}

/* The error number with which this call fails, or 0. Does not return when the process is to end here. */
static int fault(char call, const char *path) {
    const char *kind = setting("PROBITY_SHIM_FAULT");
    if (!*kind || !strchr(setting("PROBITY_SHIM_CALLS"), call)) return 0;
    pthread_mutex_lock(&lock);
    int now = ++turns == strtoul(setting("PROBITY_SHIM_TURN"), NULL, 10);
    int fails = now || (struck && strcmp(setting("PROBITY_SHIM_LASTING"), "for_good") == 0);
    struck |= now;
    if (now) {
        int hit = REAL(open)(setting("PROBITY_SHIM_HIT"), O_CREAT | O_WRONLY, 0644);
        if (hit >= 0) {
            dprintf(hit, "%c %s", call, path);
            close(hit);
        }
    }
    if (fails && loses_power()) take_back();
    if (fails && (loses_power() || strcmp(kind, "kill") == 0)) end_process();
    pthread_mutex_unlock(&lock);
    if (!fails) return 0;
    if (strcmp(kind, "ENOSPC") == 0) return ENOSPC;
    if (strcmp(kind, "EROFS") == 0) return EROFS;
    if (strcmp(kind, "EDQUOT") == 0) return EDQUOT;
    return EIO;
}

/* Ends the calling function with the fault, if it is its turn and its file is marked. */
#define FAIL_IF_MARKED(fd, call)                                                            \
    do {                                                                                    \
        char path[512];                                                                     \
        int error = path_of(fd, path, sizeof path) && marked(path) ? fault(call, path) : 0; \
        if (error) {                                                                        \
            errno = error;                                                                  \
            return -1;                                                                      \
        }                                                                                   \
    } while (0)

/* Whether the next write is the one that fails. */
static int write_is_next(void) {
    return strchr(setting("PROBITY_SHIM_CALLS"), 'w') &&
           turns + 1 == strtoul(setting("PROBITY_SHIM_TURN"), NULL, 10);
}

ssize_t write(int fd, const void *bytes, size_t length) {
    if (!marked_fd(fd)) return REAL(write)(fd, bytes, length);
    off_t at = lseek(fd, 0, SEEK_CUR);
    remember(fd, at, length);
    if (write_is_next() && REAL(pwrite)(fd, bytes, length / 2, at) < 0) abort();
    FAIL_IF_MARKED(fd, 'w');
    return REAL(write)(fd, bytes, length);
}

static ssize_t write_at(int fd, const void *bytes, size_t length, off_t at) {
    if (!marked_fd(fd)) return REAL(pwrite)(fd, bytes, length, at);
    remember(fd, at, length);
    if (write_is_next() && REAL(pwrite)(fd, bytes, length / 2, at) < 0) abort();
    FAIL_IF_MARKED(fd, 'w');
    return REAL(pwrite)(fd, bytes, length, at);
}

ssize_t pwrite(int fd, const void *bytes, size_t length, off_t at) { return write_at(fd, bytes, length, at); }

ssize_t pwrite64(int fd, const void *bytes, size_t length, off_t at) { return write_at(fd, bytes, length, at); }

ssize_t writev(int fd, const struct iovec *pieces, int n) {
    FAIL_IF_MARKED(fd, 'w');
    return REAL(writev)(fd, pieces, n);
}

int fsync(int fd) {
    FAIL_IF_MARKED(fd, 's');
    int done = REAL(fsync)(fd);
    forget(fd);
    return done;
}

int fdatasync(int fd) {
    FAIL_IF_MARKED(fd, 's');
    int done = REAL(fdatasync)(fd);
    forget(fd);
    return done;
}

int ftruncate(int fd, off_t length) {
    FAIL_IF_MARKED(fd, 't');
    return REAL(ftruncate)(fd, length);
}

int ftruncate64(int fd, off_t length) {
    FAIL_IF_MARKED(fd, 't');
    return REAL(ftruncate)(fd, length);
}

#define OPEN(name)                                                                     \
    int name(const char *path, int flags, ...) {                                       \
        va_list rest;                                                                  \
        va_start(rest, flags);                                                         \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(rest, mode_t) : 0;        \
        va_end(rest);                                                                  \
        int error = flags & (O_WRONLY | O_RDWR) && marked(path) ? fault('o', path) : 0; \
        if (error) {                                                                   \
            errno = error;                                                             \
            return -1;                                                                 \
        }                                                                              \
        return REAL(name)(path, flags, mode);                                          \
    }

OPEN(open)
OPEN(open64)

int connect(int fd, const struct sockaddr *to, socklen_t length) {
    if (strcmp(setting("PROBITY_SHIM_NETWORK"), "none") == 0) {
        fprintf(stderr, "shim: a connection was attempted\n");
        abort();
    }
    return REAL(connect)(fd, to, length);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = REAL(clock_gettime)(clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += atol(setting("PROBITY_SHIM_CLOCK"));
    return result;
}
