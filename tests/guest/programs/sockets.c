/* UNIX and loopback sockets inside the simulated kernel. */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static void say(const char *what, long result)
{
	printf("%s: %ld %s\n", what, result, result < 0 ? strerrorname_np(errno) : "");
}

static void pairs(void)
{
	int p[2], d[2];
	char text[64] = "";
	struct pollfd look;

	say("pair", socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, p));
	say("empty", recv(p[0], text, 8, 0));
	write(p[1], "hello", 5);
	write(p[1], "world", 5);
	say("peek", recv(p[0], text, 20, MSG_PEEK));
	say("across packets", read(p[0], text, 7));
	printf("%.7s\n", text);
	look = (struct pollfd){p[0], POLLIN | POLLOUT, 0};
	poll(&look, 1, 0);
	printf("poll: %x\n", look.revents);
	shutdown(p[1], SHUT_WR);
	say("rest", read(p[0], text, 20));
	say("end", read(p[0], text, 20));
	close(p[1]);
	say("nobody there", send(p[0], "x", 1, MSG_NOSIGNAL));
	close(p[0]);
	say("datagrams", socketpair(AF_UNIX, SOCK_DGRAM, 0, d));
	send(d[0], "one", 3, 0);
	send(d[0], "twotwo", 6, 0);
	say("first", recv(d[1], text, 20, 0));
	say("cut", recv(d[1], text, 2, 0));
	say("cut, its length", (send(d[0], "twotwo", 6, 0), recv(d[1], text, 2, MSG_TRUNC)));
	say("none left", recv(d[1], text, 2, MSG_DONTWAIT));
	close(d[0]);
	close(d[1]);
	say("inet pair", socketpair(AF_INET, SOCK_STREAM, 0, p));
}

struct server {
	int fd, port;
	long total;
};

static void *serve(void *arg)
{
	struct server *s = arg;
	struct sockaddr_in from;
	socklen_t size = sizeof from;
	char text[70000];
	long got, total = 0;
	int fd = accept4(s->fd, (struct sockaddr *)&from, &size, SOCK_CLOEXEC);

	s->port = ntohl(from.sin_addr.s_addr) == INADDR_LOOPBACK;
	while ((got = read(fd, text, sizeof text)) > 0)
		total += got;
	struct iovec pieces[2] = {{"thank", 5}, {"s", 1}};
	struct msghdr m = {.msg_iov = pieces, .msg_iovlen = 2};
	sendmsg(fd, &m, 0);
	s->total = total;
	close(fd);
	return NULL;
}

static void tcp(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, other;
	socklen_t size = sizeof at;
	struct server server = {.fd = socket(AF_INET, SOCK_STREAM, 0)};
	int on = 1, type = 0, client = socket(AF_INET, SOCK_STREAM, 0);
	static char block[1000000];
	char text[32] = "";
	pthread_t thread;

	setsockopt(server.fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	say("not connected", send(client, "x", 1, MSG_NOSIGNAL));
	say("bind", bind(server.fd, (struct sockaddr *)&at, sizeof at));
	getsockname(server.fd, (struct sockaddr *)&at, &size);
	say("has a port", ntohs(at.sin_port) > 1024);
	say("listen", listen(server.fd, 5));
	pthread_create(&thread, NULL, serve, &server);
	say("connect", connect(client, (struct sockaddr *)&at, sizeof at));
	size = sizeof other;
	getpeername(client, (struct sockaddr *)&other, &size);
	say("peer", other.sin_port == at.sin_port);
	say("again", connect(client, (struct sockaddr *)&at, sizeof at));
	say("a million bytes", write(client, block, sizeof block));
	shutdown(client, SHUT_WR);
	say("reply", recv(client, text, sizeof text, MSG_WAITALL));
	printf("%s\n", text);
	pthread_join(thread, NULL);
	say("received", server.total);
	say("accepted from the loopback", server.port);
	size = sizeof type;
	getsockopt(client, SOL_SOCKET, SO_TYPE, &type, &size);
	say("type", type);
	getsockopt(client, SOL_SOCKET, SO_ERROR, &type, &size);
	say("error", type);
	close(client);
	close(server.fd);
	client = socket(AF_INET, SOCK_STREAM, 0);
	say("nobody listens", connect(client, (struct sockaddr *)&at, sizeof at));
	close(client);
}

static void udp(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, from, own;
	socklen_t size = sizeof at;
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	char text[32] = "";

	bind(a, (struct sockaddr *)&at, sizeof at);
	getsockname(a, (struct sockaddr *)&at, &size);
	say("to", sendto(b, "datagram", 8, 0, (struct sockaddr *)&at, sizeof at));
	size = sizeof own;
	getsockname(b, (struct sockaddr *)&own, &size);
	size = sizeof from;
	say("from", recvfrom(a, text, sizeof text, 0, (struct sockaddr *)&from, &size));
	say("its port", from.sin_port == own.sin_port);
	say("connect", connect(b, (struct sockaddr *)&at, sizeof at));
	say("empty one", send(b, "", 0, 0));
	say("received", recv(a, text, sizeof text, 0));
	close(a);
	close(b);
}

static void names(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX}, other;
	socklen_t size = offsetof(struct sockaddr_un, sun_path) + 6;
	int server = socket(AF_UNIX, SOCK_STREAM, 0), client = socket(AF_UNIX, SOCK_STREAM, 0), end;

	memcpy(at.sun_path, "\0culpr", 6);
	say("bind", bind(server, (struct sockaddr *)&at, size));
	say("refused", connect(client, (struct sockaddr *)&at, size));
	say("listen", listen(server, 1));
	say("connect", connect(client, (struct sockaddr *)&at, size));
	end = accept(server, NULL, NULL);
	size = sizeof other;
	say("name", getsockname(end, (struct sockaddr *)&other, &size));
	printf("%u bytes, %s\n", size, other.sun_path + 1);
	strcpy(at.sun_path, "/no/such");
	say("no such path", connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&at, sizeof at));
	say("not a socket", listen(0, 1));
	say("closed", listen(99, 1));
}

/* A path: a file that stands for the socket, until it is unlinked. */
static void paths(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	struct sockaddr *name = (struct sockaddr *)&at;
	struct stat st;
	int server = socket(AF_UNIX, SOCK_STREAM, 0), other = socket(AF_UNIX, SOCK_STREAM, 0), client;

	snprintf(at.sun_path, sizeof at.sun_path, "/tmp/socket-%d", (int)getpid());
	say("bind a path", bind(server, name, sizeof at));
	say("there", stat(at.sun_path, &st));
	printf("a socket: %d\n", S_ISSOCK(st.st_mode));
	say("chmod", chmod(at.sun_path, 0700));
	say("bind it again", bind(other, name, sizeof at));
	say("open it", open(at.sun_path, O_RDWR));
	client = socket(AF_UNIX, SOCK_STREAM, 0);
	say("nobody listens", connect(client, name, sizeof at));
	say("listen", listen(server, 1));
	say("connect", connect(client, name, sizeof at));
	say("unlink", unlink(at.sun_path));
	say("connect to what is unlinked", connect(socket(AF_UNIX, SOCK_STREAM, 0), name, sizeof at));
	say("bind it after that", bind(other, name, sizeof at));
	close(other);
	say("its owner is gone", connect(socket(AF_UNIX, SOCK_STREAM, 0), name, sizeof at));
	say("unlink", unlink(at.sun_path));
}

int main(void)
{
	signal(SIGPIPE, SIG_IGN);
	setvbuf(stdout, NULL, _IONBF, 0);
	pairs();
	tcp();
	udp();
	names();
	paths();
	return 0;
}
