// A small server whose requests wait and then compute: GET / takes WAIT_MS without CPU, as for a
// database, then WORK_MS of CPU. A thread per connection, HTTP/1.1 with keep-alive. With WORKERS only
// so many requests are processed at once; the others wait in the app.
//   cc -O2 -o app app.c -lpthread ;  app PORT WAIT_MS WORK_MS [WORKERS]
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static double wait_ms, work_ms;
static int workers;
static sem_t free_workers;

static double now_ms(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void process(void) {
    struct timespec pause = {(time_t)(wait_ms / 1e3), (long)(wait_ms * 1e6) % 1000000000L};
    nanosleep(&pause, NULL);
    double end = now_ms(CLOCK_THREAD_CPUTIME_ID) + work_ms;
    volatile unsigned sum = 0;
    while (now_ms(CLOCK_THREAD_CPUTIME_ID) < end)
        for (unsigned i = 0; i < 2000; ++i) sum += i;
}

static void *serve(void *argument) {
    int fd = (int)(long)argument;
    char in[8192];
    size_t have = 0;
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";
    for (;;) {
        ssize_t got = read(fd, in + have, sizeof in - 1 - have);
        if (got <= 0) break;
        have += (size_t)got;
        in[have] = 0;
        if (strstr(in, "\r\n\r\n") == NULL) continue;
        have = 0;
        if (workers > 0)
            while (sem_wait(&free_workers)) continue;
        process();
        if (workers > 0) sem_post(&free_workers);
        if (write(fd, answer, sizeof answer - 1) < 0) break;
    }
    close(fd);
    return NULL;
}

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5) return fprintf(stderr, "app PORT WAIT_MS WORK_MS [WORKERS]\n"), 2;
    signal(SIGPIPE, SIG_IGN);
    wait_ms = atof(argv[2]);
    work_ms = atof(argv[3]);
    workers = argc == 5 ? atoi(argv[4]) : 0;
    sem_init(&free_workers, 0, (unsigned)workers);
    int one = 1, fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(argv[1])),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    if (bind(fd, (struct sockaddr *)&to, sizeof to) || listen(fd, 1024)) return perror("listen"), 1;
    for (;;) {
        int client = accept(fd, NULL, NULL);
        if (client < 0) continue;
        setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        pthread_t thread;
        if (pthread_create(&thread, NULL, serve, (void *)(long)client) == 0) pthread_detach(thread);
    }
}
