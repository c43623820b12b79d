/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: sent to this process, or raised on a virtual loop. */
#include <signal.h>
#include <sys/resource.h>
#include <time.h>

#include "base/macro.h"
#include "loop/test/twins.h"

struct ear {
	struct loop_signal *watch;
	struct ear *removes;
	struct loop *adds; /* one more watch for `next` */
	struct ear *next;
	char *text;
	char letter;
};

static void on_signal(struct loop_signal *watch, int signo, void *arg)
{
	struct ear *ear = arg;
	size_t len = strlen(ear->text);

	(void)watch;
	(void)signo;
	ear->text[len] = ear->letter;
	if (ear->removes)
		loop_signal_remove(TAKE(ear->removes->watch));
	ear->removes = NULL;
	if (ear->adds)
		ear->next->watch = loop_signal_add(ear->adds, signo, on_signal, ear->next, NULL);
	ear->adds = NULL;
}

static void send_to(struct loop *loop, int signo)
{
	if (loop_is_virtual(loop))
		loop_signal_raise(loop, signo);
	else
		kill(getpid(), signo);
}

static struct loop_signal *listen_for(struct loop *loop, int signo, struct ear *ear)
{
	struct err err = {0};

	ear->watch = loop_signal_add(loop, signo, on_signal, ear, &err);
	if (!ear->watch)
		bail(err.text);
	return ear->watch;
}

static void test_delivery(struct loop *loop)
{
	char text[32] = "";
	struct ear a = {.text = text, .letter = 'a'};
	struct ear b = {.text = text, .letter = 'b'};
	struct ear c = {.text = text, .letter = 'c'};
	struct ear d = {.text = text, .letter = 'd'};

	listen_for(loop, SIGUSR1, &a);
	listen_for(loop, SIGUSR2, &b);
	listen_for(loop, SIGUSR1, &c);
	ok(!loop_turn(loop, 0), "all is quiet");
	send_to(loop, SIGUSR1);
	is(text, "");
	loop_turn(loop, -1);
	is(text, "ac");
	send_to(loop, SIGUSR2);
	send_to(loop, SIGUSR2);
	loop_drain(loop);
	is(text, "acb");
	send_to(loop, SIGUSR2);
	send_to(loop, SIGUSR1);
	loop_drain(loop);
	is(text, "acbacb");

	/* a removes c, which was to be called next, and adds d, which was not there yet. */
	text[0] = '\0';
	memset(text, 0, sizeof(text));
	a.removes = &c;
	a.adds = loop;
	a.next = &d;
	send_to(loop, SIGUSR1);
	loop_drain(loop);
	is(text, "a");
	send_to(loop, SIGUSR1);
	loop_drain(loop);
	is(text, "aad");
	a.removes = &a;
	send_to(loop, SIGUSR1);
	loop_drain(loop);
	is(text, "aadad");
	loop_signal_remove(b.watch);
	loop_signal_remove(d.watch);
	loop_signal_remove(NULL);
	ok(!loop_turn(loop, 0), "all is quiet again");
}

/* Both are pending; the first removes the other's watch. */
static void test_removed_while_pending(struct loop *loop)
{
	char text[8] = "";
	struct ear a = {.text = text, .letter = 'a'};
	struct ear b = {.text = text, .letter = 'b', .removes = NULL};

	listen_for(loop, SIGUSR1, &a);
	listen_for(loop, SIGUSR2, &b);
	a.removes = &b;
	send_to(loop, SIGUSR1);
	send_to(loop, SIGUSR2);
	loop_drain(loop);
	is(text, "a");
	send_to(loop, SIGUSR1);
	loop_signal_remove(a.watch); /* or SIGUSR1 would end this process now */
	loop_drain(loop);
	is(text, "a");
}

static bool is_blocked(int signo)
{
	sigset_t now;

	pthread_sigmask(SIG_SETMASK, NULL, &now);
	return sigismember(&now, signo) == 1;
}

static void test_mask(struct loop *loop)
{
	char text[8] = "";
	struct ear a = {.text = text, .letter = 'a'}, b = a;
	sigset_t hup;

	sigemptyset(&hup);
	sigaddset(&hup, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &hup, NULL);
	listen_for(loop, SIGHUP, &a);
	listen_for(loop, SIGTERM, &b);
	ok(is_blocked(SIGHUP) && is_blocked(SIGTERM), "what is watched is blocked");
	loop_signal_remove(a.watch);
	loop_signal_remove(b.watch);
	ok(!is_blocked(SIGTERM), "and let through afterwards");
	ok(is_blocked(SIGHUP), "unless it was blocked before");
	pthread_sigmask(SIG_UNBLOCK, &hup, NULL);
}

static void test_virtual_is_apart(struct loop *loop)
{
	char text[8] = "";
	struct ear a = {.text = text, .letter = 'a'};

	listen_for(loop, SIGTERM, &a);
	ok(!is_blocked(SIGTERM), "a virtual loop blocks nothing");
	loop_signal_raise(loop, SIGINT);
	loop_drain(loop);
	is(text, "");
	loop_signal_raise(loop, SIGTERM);
	loop_signal_remove(a.watch);
	loop_drain(loop);
	is(text, "");
}

static void test_errors(struct loop *loop)
{
	struct err err = {0};

	ok(!loop_signal_add(loop, SIGKILL, on_signal, NULL, &err), "SIGKILL: %s", err.text);
	ok(err.code == ERR_INVALID, "is invalid");
	ok(!loop_signal_add(loop, SIGSTOP, on_signal, NULL, NULL), "SIGSTOP");
	ok(!loop_signal_add(loop, 0, on_signal, NULL, NULL), "0");
	ok(!loop_signal_add(loop, 1000, on_signal, NULL, NULL), "1000");
}

static void test_no_descriptors(struct loop *loop)
{
	struct err err = {0};
	struct rlimit old, none;

	getrlimit(RLIMIT_NOFILE, &old);
	none = old;
	none.rlim_cur = 0;
	setrlimit(RLIMIT_NOFILE, &none);
	struct loop_signal *watch = loop_signal_add(loop, SIGUSR1, on_signal, NULL, &err);

	setrlimit(RLIMIT_NOFILE, &old);
	ok(!watch, "without descriptors: %s", err.text);
	ok(!is_blocked(SIGUSR1), "nothing is blocked");
}

static void leak_watch(struct loop *loop)
{
	(void)!loop_signal_add(loop, SIGUSR1, on_signal, NULL, NULL);
	loop_free(loop);
}

int main(void)
{
	on_both(test_delivery);
	on_both(test_removed_while_pending);
	on_real(test_mask);
	on_virtual(test_virtual_is_apart);
	on_both(test_errors);
	on_real(test_no_descriptors);
	ok(aborts(leak_watch, false), "a watch that is still there is found");
	return tap_done();
}
