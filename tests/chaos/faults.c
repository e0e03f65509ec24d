/* Faults of disk and clock for one process: preloaded into a daemon, and steered by a file that both map.
 *
 * CHAOS_CONTROL: that file. CHAOS_DIRECTORY: files below it are concerned. Built by faults.py.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

struct control {
    volatile int32_t error;    /* errno of writes; 0: none */
    volatile int32_t share;    /* of 1000 writes, how many fail */
    volatile int32_t opening;  /* errno of whatever changes a directory; 0: none */
    volatile int32_t delay;    /* microseconds that a write and a sync take longer */
    volatile int64_t clock;    /* nanoseconds that the clock of the day is ahead */
    volatile int64_t inflicted; /* calls that failed so far */
};

static struct control none, *control = &none;
static const char *directory = "";
static size_t length;

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) real = (type (*)(__VA_ARGS__))dlsym(RTLD_NEXT, #name)

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("CHAOS_CONTROL"), *place = getenv("CHAOS_DIRECTORY");
    if (!path || !place) return;
    directory = strdup(place);
    length = strlen(directory);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *found = mmap(NULL, sizeof(struct control), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (found != MAP_FAILED) control = found;
}

static int below(const char *path) {
    return length && strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == 0);
}

static int concerned(int file) {
    char name[40], path[PATH_MAX];
    int before = errno;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    ssize_t size = readlink(name, path, sizeof path - 1);
    errno = before;
    if (size <= 0) return 0;
    path[size] = 0;
    return below(path);
}

/* Whether this write fails; errno says how. */
static int fails(int file) {
    if (!control->error && !control->delay) return 0;
    if (!concerned(file)) return 0;
    if (control->delay) usleep((useconds_t)control->delay);
    static __thread uint32_t chance;
    if (!chance) chance = (uint32_t)getpid() ^ (uint32_t)(uintptr_t)&chance;
    chance = chance * 1664525u + 1013904223u;
    if (!control->error || (int32_t)((chance >> 8) % 1000) >= control->share) return 0;
    __sync_fetch_and_add(&control->inflicted, 1);
    errno = control->error;
    return 1;
}

static int refused(const char *path) {
    if (!control->opening || !below(path)) return 0;
    __sync_fetch_and_add(&control->inflicted, 1);
    errno = control->opening;
    return 1;
}

ssize_t write(int file, const void *data, size_t size) {
    REAL(ssize_t, write, int, const void *, size_t);
    return fails(file) ? -1 : real(file, data, size);
}

ssize_t writev(int file, const struct iovec *parts, int count) {
    REAL(ssize_t, writev, int, const struct iovec *, int);
    return fails(file) ? -1 : real(file, parts, count);
}

/* A failed write in a file's middle leaves half of itself, as a disk may. */
#define PWRITE(name, offset) \
    ssize_t name(int file, const void *data, size_t size, offset place) { \
        REAL(ssize_t, name, int, const void *, size_t, offset); \
        if (!fails(file)) return real(file, data, size, place); \
        int error = errno; \
        if (error == EIO && size > 1) (void)!real(file, data, size / 2, place); \
        errno = error; \
        return -1; \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

#define ON_FILE(name) \
    int name(int file) { \
        REAL(int, name, int); \
        return fails(file) ? -1 : real(file); \
    }
ON_FILE(fsync)
ON_FILE(fdatasync)

#define TRUNCATE(name, offset) \
    int name(int file, offset size) { \
        REAL(int, name, int, offset); \
        return fails(file) ? -1 : real(file, size); \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        REAL(int, name, const char *, int, ...); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); \
        va_end(more); \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) && refused(path)) return -1; \
        return real(path, flags, mode); \
    }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
    int name(int place, const char *path, int flags, ...) { \
        REAL(int, name, int, const char *, int, ...); \
        va_list more; \
        va_start(more, flags); \
        mode_t mode = va_arg(more, mode_t); \
        va_end(more); \
        if ((flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) && refused(path)) return -1; \
        return real(place, path, flags, mode); \
    }
OPENAT(openat)
OPENAT(openat64)

int mkdir(const char *path, mode_t mode) {
    REAL(int, mkdir, const char *, mode_t);
    return refused(path) ? -1 : real(path, mode);
}

int unlink(const char *path) {
    REAL(int, unlink, const char *);
    return refused(path) ? -1 : real(path);
}

int rename(const char *path, const char *target) {
    REAL(int, rename, const char *, const char *);
    return refused(target) ? -1 : real(path, target);
}

int link(const char *path, const char *target) {
    REAL(int, link, const char *, const char *);
    return refused(target) ? -1 : real(path, target);
}

static int of_the_day(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    REAL(int, clock_gettime, clockid_t, struct timespec *);
    int found = real(clock, now);
    if (found == 0 && control->clock && of_the_day(clock)) {
        int64_t nanoseconds = (int64_t)now->tv_sec * 1000000000 + now->tv_nsec + control->clock;
        now->tv_sec = nanoseconds / 1000000000;
        now->tv_nsec = nanoseconds % 1000000000;
    }
    return found;
}

int gettimeofday(struct timeval *now, void *zone) {
    (void)zone;
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    now->tv_sec = found.tv_sec;
    now->tv_usec = found.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *place) {
    struct timespec found;
    clock_gettime(CLOCK_REALTIME, &found);
    if (place) *place = found.tv_sec;
    return found.tv_sec;
}
