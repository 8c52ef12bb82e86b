// An app that says how long after it could be used the first request reached it: listens on $PORT,
// answers every GET with 200, and writes the microseconds from listen() to the first byte of a
// request that is no probe into the file named by its argument.
//   cc -O2 -o wake_app wake_app.c
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static int64_t now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

int main(int count, char **words) {
    const char *port = getenv("PORT");
    if (count != 2 || !port) return 2;
    struct timespec start = {0, 30000000};  // so that the readiness probes are under way
    nanosleep(&start, NULL);
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port))};
    a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1;
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
    if (bind(listener, (void *)&a, sizeof a) || listen(listener, 64)) return 1;
    const int64_t ready = now_ns();
    for (int reported = 0;;) {
        int fd = accept(listener, NULL, NULL);
        char head[4096];
        // A probe connects and says nothing.
        ssize_t got = read(fd, head, sizeof head);
        if (got > 0) {
            const int64_t took = now_ns() - ready;
            const char *answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
            if (write(fd, answer, strlen(answer)) < 0) return 1;
            if (!reported) {
                FILE *out = fopen(words[1], "a");
                fprintf(out, "%lld\n", (long long)(took / 1000));
                fclose(out);
                reported = 1;
            }
        }
        close(fd);
    }
}
