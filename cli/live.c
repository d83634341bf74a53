/* SPDX-License-Identifier: Apache-2.0 */
/* live.c: the page of `vinea train --live`: a thread that answers requests on the loopback address, one after the other. The page asks for the
 * state of the training twice a second, and loads the report again after each epoch, without a moment in which it is blank. Only requests for this address are answered, so
 * that pages of other servers cannot read it through names that lead here. */
#include "live.h"

#include "base/base.h"
#include "command.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

struct live {
    const char *report;
    int listener, wake[2]; /* a byte in the pipe ends the thread */
    int port;
    pthread_t thread;
    pthread_mutex_t lock;
    char state[2048]; /* JSON */
};

static const char page[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<meta name=\"color-scheme\" content=\"light dark\">\n"
    "<title>Training</title>\n<style>\n"
    ":root { --ground: #f4f6f8; --text: #1b2129; --line: #d7dde4; --c0: #1d64c8; }\n"
    "@media (prefers-color-scheme: dark) { :root { --ground: #1e242b; --text: #e6eaef; --line: #37414c; --c0: #6ea8ff; } }\n"
    "* { box-sizing: border-box; }\n"
    "html, body { height: 100%; margin: 0; }\n"
    "body { display: flex; flex-direction: column; background: var(--ground); color: var(--text); font: 16px/1.5 system-ui, sans-serif; }\n"
    "header { padding: .5rem 1rem; border-bottom: 1px solid var(--line); font-variant-numeric: tabular-nums; }\n"
    "progress { display: block; width: 100%; accent-color: var(--c0); }\n"
    "main { flex: 1; position: relative; }\n"
    "iframe { position: absolute; width: 100%; height: 100%; border: 0; }\n"
    "iframe.next { visibility: hidden; }\n"
    "</style>\n</head>\n<body>\n"
    "<header><output id=\"now\" aria-live=\"polite\">The first epoch is under way.</output><progress id=\"done\" max=\"1\" value=\"0\" "
    "aria-label=\"of all epochs\"></progress></header>\n"
    "<main><iframe id=\"report\" title=\"report\" src=\"/report\"></iframe></main>\n<script>\n'use strict';\n"
    "const now = document.getElementById('now'), done = document.getElementById('done');\n"
    "let shown = -1, next = null;\n"
    "function renew(finished) {\n" /* beside the old one, which stays until the new one can be seen at the same place */
    "  const old = document.getElementById('report');\n"
    "  next = document.createElement('iframe');\n"
    "  next.title = 'report';\n"
    "  next.className = 'next';\n"
    "  next.src = '/report';\n"
    "  next.addEventListener('load', () => {\n"
    "    next.contentWindow.scrollTo(old.contentWindow.scrollX, old.contentWindow.scrollY);\n"
    "    next.className = '';\n"
    "    old.remove();\n"
    "    next.id = 'report';\n"
    "    next = null;\n"
    "    shown = finished;\n"
    "  }, {once: true});\n"
    "  old.after(next);\n"
    "}\n"
    "async function look() {\n"
    "  let state;\n"
    "  try { state = await (await fetch('/state')).json(); } catch { now.textContent += ' The training has ended.'; return; }\n"
    "  now.textContent = state.text;\n"
    "  document.title = state.text;\n"
    "  done.value = state.done;\n"
    "  if (shown < 0) shown = state.finished;\n"
    "  else if (state.finished !== shown && !next) renew(state.finished);\n"
    "  setTimeout(look, 500);\n"
    "}\nlook();\n</script>\n</body>\n</html>\n";

/* ---- answers ---- */

static void send_all(int to, const char *data, size_t n)
{
    while (n) {
        const ssize_t sent = send(to, data, n, MSG_NOSIGNAL);
        if (sent <= 0) return;
        data += sent, n -= (size_t)sent;
    }
}

static void answer(int to, const char *status, const char *type, const char *body, size_t n)
{
    char head[400];
    const int length = snprintf(head, sizeof head,
                                "HTTP/1.1 %s\r\nContent-Type: %s; charset=utf-8\r\nContent-Length: %zu\r\nCache-Control: no-store\r\n"
                                "X-Content-Type-Options: nosniff\r\nX-Frame-Options: SAMEORIGIN\r\nConnection: close\r\n\r\n",
                                status, type, n);
    send_all(to, head, (size_t)length);
    send_all(to, body, n);
}

static void answer_report(const live *l, int to)
{
    static const char none[] = "<!doctype html><title>Training</title><p>The report comes with the first epoch.</p>";
    FILE *f = fopen(l->report, "re");
    char *text = NULL, part[4096];
    size_t size = 0;
    FILE *all = open_memstream(&text, &size);
    for (size_t n; f && all && (n = fread(part, 1, sizeof part, f));) fwrite(part, 1, n, all);
    const int failed = !all || fclose(all);
    if (f) fclose(f);
    if (failed || !size) answer(to, "200 OK", "text/html", none, sizeof none - 1);
    else answer(to, "200 OK", "text/html", text, size);
    free(text);
}

/* Is the request for this address, and not for a name that someone made lead here? */
static int is_ours(const live *l, const char *request)
{
    char hosts[2][64];
    snprintf(hosts[0], sizeof hosts[0], "\r\nhost: 127.0.0.1:%d\r\n", l->port);
    snprintf(hosts[1], sizeof hosts[1], "\r\nhost: localhost:%d\r\n", l->port);
    return strcasestr(request, hosts[0]) || strcasestr(request, hosts[1]);
}

static void serve(live *l, int to)
{
    char request[8192];
    size_t n = 0;
    struct timeval patience = {.tv_sec = 2};
    setsockopt(to, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    setsockopt(to, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    for (request[0] = 0; n < sizeof request - 1 && !strstr(request, "\r\n\r\n");) {
        const ssize_t got = recv(to, request + n, sizeof request - 1 - n, 0);
        if (got <= 0) return;
        n += (size_t)got;
        request[n] = 0;
    }
    static const char no[] = "No.\n";
    if (!is_ours(l, request)) answer(to, "403 Forbidden", "text/plain", no, sizeof no - 1);
    else if (!strncmp(request, "GET / ", 6)) answer(to, "200 OK", "text/html", page, sizeof page - 1);
    else if (!strncmp(request, "GET /report ", 12)) answer_report(l, to);
    else if (!strncmp(request, "GET /state ", 11)) {
        char state[sizeof l->state];
        pthread_mutex_lock(&l->lock);
        memcpy(state, l->state, sizeof state);
        pthread_mutex_unlock(&l->lock);
        answer(to, "200 OK", "application/json", state, strlen(state));
    } else answer(to, "404 Not Found", "text/plain", no, sizeof no - 1);
}

static void *run(void *memory)
{
    live *l = memory;
    for (;;) {
        struct pollfd ready[] = {{.fd = l->wake[0], .events = POLLIN}, {.fd = l->listener, .events = POLLIN}};
        if (poll(ready, 2, -1) < 0) continue;
        if (ready[0].revents) return NULL;
        const int to = accept4(l->listener, NULL, NULL, SOCK_CLOEXEC);
        if (to < 0) continue;
        serve(l, to);
        close(to);
    }
}

/* ---- the training's side ---- */

int live_watch(const vn_fit_event *e, void *memory)
{
    live *l = memory;
    if (!l || e->moment == VN_FIT_BEGIN) return 0;
    char text[900];
    const int step = e->moment == VN_FIT_STEP;
    int used = snprintf(text, sizeof text, "epoch %" PRId64 " of %" PRId64, e->epoch, e->epochs);
    if (step) used += snprintf(text + used, sizeof text - (size_t)used, ", step %" PRId64 " of %" PRId64, e->batch, e->batches);
    for (int i = 0; i < e->n_scores && used < 800; i++) {
        char number[32];
        vn__number_digits(e->scores[i].value, 4, number);
        used += snprintf(text + used, sizeof text - (size_t)used, ", %.60s %s", e->scores[i].name, number); /* letters, digits and '_' */
    }
    const double part = step && e->batches ? (double)e->batch / (double)e->batches : 1;
    const int64_t finished = step ? e->epoch - 1 : e->epoch;
    char done[32];
    vn__number_digits(((double)e->epoch - 1 + part) / (double)e->epochs, 6, done);
    pthread_mutex_lock(&l->lock);
    snprintf(l->state, sizeof l->state, "{\"text\": \"%s\", \"done\": %s, \"finished\": %" PRId64 "}", text, done, finished);
    pthread_mutex_unlock(&l->lock);
    return 0;
}

static int listen_on(live *l, int port)
{
    struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof a;
    l->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (l->listener < 0 || setsockopt(l->listener, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) ||
        bind(l->listener, (struct sockaddr *)&a, n) || listen(l->listener, 16) || getsockname(l->listener, (struct sockaddr *)&a, &n))
        return complain("--live: port %d of 127.0.0.1 cannot be used: %s", port, strerror(errno));
    l->port = ntohs(a.sin_port);
    return EXIT_GOOD;
}

static void close_all(live *l)
{
    if (l->listener >= 0) close(l->listener);
    if (l->wake[0] >= 0) close(l->wake[0]), close(l->wake[1]);
    pthread_mutex_destroy(&l->lock);
    free(l);
}

live *live_begin(const char *report, int port)
{
    live *l = calloc(1, sizeof *l);
    if (!l) return complain("out of memory"), NULL;
    *l = (live){.report = report,
                .listener = -1,
                .wake = {-1, -1},
                .state = "{\"text\": \"The first epoch is under way.\", \"done\": 0, \"finished\": 0}"};
    pthread_mutex_init(&l->lock, NULL);
    if (listen_on(l, port)) return close_all(l), NULL;
    sigset_t all, before;
    sigfillset(&all); /* Ctrl-C is for the training */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int failed = pipe2(l->wake, O_CLOEXEC) || pthread_create(&l->thread, NULL, run, l);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed) return complain("--live: no thread can be started"), close_all(l), NULL;
    fprintf(stderr, "live http://127.0.0.1:%d/\n", l->port);
    return l;
}

void live_end(live *l)
{
    if (!l) return;
    if (write(l->wake[1], "", 1) == 1) pthread_join(l->thread, NULL);
    close_all(l);
}
