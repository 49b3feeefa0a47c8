/* loops [NAME]: loops of everyday kinds, without end, for studies/graph-loops. Without a name: the names. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <math.h>

static uint64_t rs = 88172645463325252ull;

static uint64_t rnd(void)
{
	rs ^= rs << 13;
	rs ^= rs >> 7;
	rs ^= rs << 17;
	return rs;
}

static volatile uint64_t sink;

/* Bytes counted; the table fits the L1D. */
static void histogram(void)
{
	static uint8_t in[1 << 16];
	static uint32_t h[256];
	for (int i = 0; i < 1 << 16; i++)
		in[i] = rnd();
	for (;;) {
		for (int i = 0; i < 1 << 16; i++)
			h[in[i]]++;
		sink = h[3];
	}
}

/* Numbers counted in a table of 4 MB. */
static void bighist(void)
{
	static uint32_t in[1 << 16];
	static uint32_t h[1 << 20];
	for (int i = 0; i < 1 << 16; i++)
		in[i] = rnd() & ((1 << 20) - 1);
	for (;;) {
		for (int i = 0; i < 1 << 16; i++)
			h[in[i]]++;
		sink = h[3];
	}
}

/* A sum by an index, over 2 MB. */
static void gather(void)
{
	static uint32_t in[1 << 16];
	static double v[1 << 18];
	for (int i = 0; i < 1 << 16; i++)
		in[i] = rnd() & ((1 << 18) - 1);
	for (;;) {
		double s = 0;
		for (int i = 0; i < 1 << 16; i++)
			s += v[in[i]];
		sink = s;
	}
}

/* Writes by an index, over 2 MB. */
static void scatter(void)
{
	static uint32_t in[1 << 16];
	static uint64_t v[1 << 18];
	for (int i = 0; i < 1 << 16; i++)
		in[i] = rnd() & ((1 << 18) - 1);
	for (;;)
		for (int i = 0; i < 1 << 16; i++)
			v[in[i]] = i;
}

/* A chain of loads through 512 KB. */
static void chase(void)
{
	static uint32_t n[1 << 17];
	for (int i = 0; i < 1 << 17; i++)
		n[i] = i;
	for (int i = (1 << 17) - 1; i; i--) {
		int j = rnd() % i;
		uint32_t t = n[i];
		n[i] = n[j];
		n[j] = t;
	}
	uint32_t p = 0;
	for (;;) {
		for (int i = 0; i < 100000; i++)
			p = n[p];
		sink = p;
	}
}

/* Binary search of random keys. */
static void bsearch_(void)
{
	static uint64_t a[1 << 17];
	for (int i = 0; i < 1 << 17; i++)
		a[i] = (uint64_t)i * 3;
	for (;;) {
		uint64_t key = rnd() % (3 << 17);
		int lo = 0, hi = 1 << 17;
		while (lo < hi) {
			int m = (lo + hi) / 2;
			if (a[m] < key)
				lo = m + 1;
			else
				hi = m;
		}
		sink += lo;
	}
}

/* Primes. */
static void sieve(void)
{
	static uint8_t s[1 << 19];
	for (;;) {
		memset(s, 1, sizeof s);
		for (int i = 2; i < 724; i++)
			if (s[i])
				for (int j = i * i; j < 1 << 19; j += i)
					s[j] = 0;
	}
}

/* Matrices of 96. */
static void matmul(void)
{
	enum { N = 96 };
	static double a[N][N], b[N][N], c[N][N];
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = b[i][j] = i + j;
	for (;;)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++) {
				double s = 0;
				for (int k = 0; k < N; k++)
					s += a[i][k] * b[k][j];
				c[i][j] = s;
			}
}

/* Four neighbours of 512 by 512. */
static void stencil(void)
{
	enum { N = 512 };
	static float a[N][N], b[N][N];
	for (;;) {
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				b[i][j] = 0.25f * (a[i - 1][j] + a[i + 1][j] + a[i][j - 1] + a[i][j + 1]);
		memcpy(a, b, sizeof a);
	}
}

/* A sparse matrix times a vector. */
static void spmv(void)
{
	enum { R = 1 << 13, K = 8 };
	static uint32_t col[R * K];
	static double val[R * K], x[1 << 16], y[R];
	for (int i = 0; i < R * K; i++)
		col[i] = rnd() & 65535, val[i] = i;
	for (;;)
		for (int i = 0; i < R; i++) {
			double s = 0;
			for (int k = 0; k < K; k++)
				s += val[i * K + k] * x[col[i * K + k]];
			y[i] = s;
		}
}

static int cmp(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Qsort of 4,096 random numbers. */
static void sort_(void)
{
	static uint64_t a[4096];
	for (;;) {
		for (int i = 0; i < 4096; i++)
			a[i] = rnd();
		qsort(a, 4096, 8, cmp);
	}
}

/* Insertion sort of 64. */
static void inssort(void)
{
	static int a[64];
	for (;;) {
		for (int i = 0; i < 64; i++)
			a[i] = rnd() & 1023;
		for (int i = 1; i < 64; i++) {
			int v = a[i], j = i;
			while (j && a[j - 1] > v) {
				a[j] = a[j - 1];
				j--;
			}
			a[j] = v;
		}
	}
}

/* 1 MB copied. */
static void memcpy_(void)
{
	static char a[1 << 20], b[1 << 20];
	for (;;)
		memcpy(a, b, sizeof a);
}

/* 4 MB set. */
static void memset_(void)
{
	static char a[4 << 20];
	for (;;)
		memset(a, 3, sizeof a);
}

/* A byte at a time. */
static void strlen_(void)
{
	static char a[1 << 16];
	memset(a, 'x', sizeof a - 1);
	for (;;) {
		const char *p = a;
		while (*(volatile const char *)p)
			p++;
		sink = p - a;
	}
}

/* Bits by x & x - 1. */
static void popcount_(void)
{
	static uint64_t a[1 << 14];
	for (int i = 0; i < 1 << 14; i++)
		a[i] = rnd();
	for (;;) {
		int n = 0;
		for (int i = 0; i < 1 << 14; i++) {
			uint64_t x = a[i];
			while (x) {
				x &= x - 1;
				n++;
			}
		}
		sink = n;
	}
}

/* Longest common subsequence: two rows, branches on data. */
static void lcs(void)
{
	enum { N = 1000 };
	static uint8_t a[N], b[N];
	static int d[2][N + 1];
	for (int i = 0; i < N; i++)
		a[i] = rnd() & 3, b[i] = rnd() & 3;
	for (;;)
		for (int i = 0; i < N; i++)
			for (int j = 0; j < N; j++) {
				int *p = d[i & 1], *q = d[~i & 1];
				p[j + 1] = a[i] == b[j] ? q[j] + 1 : q[j + 1] > p[j] ? q[j + 1] : p[j];
			}
}

/* Breadth first through a random graph. */
static void bfs(void)
{
	enum { N = 1 << 14, K = 8 };
	static uint32_t e[N * K], q[N];
	static int dist[N];
	for (int i = 0; i < N * K; i++)
		e[i] = rnd() & (N - 1);
	for (;;) {
		memset(dist, -1, sizeof dist);
		int h = 0, t = 0, s = rnd() & (N - 1);
		q[t++] = s;
		dist[s] = 0;
		while (h < t) {
			int u = q[h++];
			for (int k = 0; k < K; k++) {
				int v = e[u * K + k];
				if (dist[v] < 0) {
					dist[v] = dist[u] + 1;
					q[t++] = v;
				}
			}
		}
		sink = t;
	}
}

/* A heap filled and emptied. */
static void heap(void)
{
	static uint64_t h[1 << 14];
	int n = 0;
	for (;;) {
		while (n < (1 << 14) - 1) {
			int i = ++n;
			h[i] = rnd();
			while (i > 1 && h[i / 2] > h[i]) {
				uint64_t t = h[i];
				h[i] = h[i / 2];
				h[i / 2] = t;
				i /= 2;
			}
		}
		while (n > 100) {
			h[1] = h[n--];
			int i = 1;
			for (;;) {
				int c = 2 * i;
				if (c > n)
					break;
				if (c < n && h[c + 1] < h[c])
					c++;
				if (h[i] <= h[c])
					break;
				uint64_t t = h[i];
				h[i] = h[c];
				h[c] = t;
				i = c;
			}
		}
	}
}

struct node {
	struct node *next;
	uint64_t key, val;
};

/* A hash table with chains. */
static void hash_(void)
{
	enum { B = 1 << 14 };
	static struct node *b[B], pool[1 << 16];
	int n = 0;
	for (int i = 0; i < 1 << 16; i++) {
		uint64_t k = rnd() & 0xffff;
		struct node *p = &pool[n++];
		p->key = k;
		p->next = b[k * 0x9e3779b97f4a7c15ull >> 50];
		b[k * 0x9e3779b97f4a7c15ull >> 50] = p;
	}
	for (;;) {
		uint64_t k = rnd() & 0xffff;
		for (struct node *p = b[k * 0x9e3779b97f4a7c15ull >> 50]; p; p = p->next)
			if (p->key == k) {
				p->val++;
				break;
			}
	}
}

/* A switch over random codes. */
static void interp(void)
{
	static uint8_t code[4096];
	for (int i = 0; i < 4096; i++)
		code[i] = rnd() & 7;
	uint64_t acc = 1, r1 = 7;
	for (;;)
		for (int i = 0; i < 4096; i++)
			switch (code[i]) {
			case 0:
				acc += r1;
				break;
			case 1:
				acc ^= r1 >> 3;
				break;
			case 2:
				r1 = acc * 5;
				break;
			case 3:
				acc -= 9;
				break;
			case 4:
				r1 ^= acc;
				break;
			case 5:
				acc = acc << 1 | acc >> 63;
				break;
			case 6:
				if (acc & 1)
					r1++;
				break;
			default:
				sink = acc;
			}
}

static uint64_t fib(int n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

/* Recursion. */
static void fib_(void)
{
	for (;;)
		sink = fib(20);
}

/* Eight bodies; divisions and roots. */
static void nbody(void)
{
	enum { N = 8 };
	static double x[N], y[N], z[N], vx[N], vy[N], vz[N];
	for (int i = 0; i < N; i++)
		x[i] = i, y[i] = i * i, z[i] = 1.0 / (i + 1);
	for (;;) {
		for (int i = 0; i < N; i++)
			for (int j = i + 1; j < N; j++) {
				double dx = x[i] - x[j], dy = y[i] - y[j], dz = z[i] - z[j],
				       d = dx * dx + dy * dy + dz * dz + .01, m = 1 / (d * sqrt(d));
				vx[i] -= dx * m;
				vy[i] -= dy * m;
				vz[i] -= dz * m;
				vx[j] += dx * m;
				vy[j] += dy * m;
				vz[j] += dz * m;
			}
		for (int i = 0; i < N; i++)
			x[i] += .001 * vx[i], y[i] += .001 * vy[i], z[i] += .001 * vz[i];
	}
}

/* Points of the Mandelbrot set. */
static void mandel(void)
{
	for (;;)
		for (int i = 0; i < 64; i++)
			for (int j = 0; j < 64; j++) {
				double a = i / 32. - 1.5, b = j / 32. - 1, x = 0, y = 0;
				int k = 0;
				while (k < 50 && x * x + y * y < 4) {
					double t = x * x - y * y + a;
					y = 2 * x * y + b;
					x = t;
					k++;
				}
				sink = k;
			}
}

/* Two divisions a round, of a sum and of a random number. */
static void divs(void)
{
	uint64_t a = 1;
	for (;;) {
		uint64_t x = rnd() | 1;
		a += (a ^ 0x123456789abcdefull) / (x >> 40) + x % 1000;
		sink = a;
	}
}

/* Rotations and additions in a chain. */
static void sha(void)
{
	uint32_t h = 0x6a09e667, k[16];
	for (int i = 0; i < 16; i++)
		k[i] = rnd();
	for (;;) {
		uint32_t a = h, b = h * 3, c = ~h;
		for (int i = 0; i < 64; i++) {
			uint32_t s = (a >> 2 | a << 30) ^ (a >> 13 | a << 19) ^ (a >> 22 | a << 10),
				 m = (a & b) ^ (a & c) ^ (b & c), t = s + m + k[i & 15];
			c = b;
			b = a;
			a = t;
			k[i & 15] += t;
		}
		h += a;
		sink = h;
	}
}

/* A CRC by a table of 256. */
static void crc_(void)
{
	static uint32_t t[256];
	static uint8_t in[1 << 15];
	for (int i = 0; i < 256; i++)
		t[i] = rnd();
	for (int i = 0; i < 1 << 15; i++)
		in[i] = rnd();
	uint32_t c = 0;
	for (;;) {
		for (int i = 0; i < 1 << 15; i++)
			c = t[(c ^ in[i]) & 255] ^ c >> 8;
		sink = c;
	}
}

/* A queue in an array. */
static void queue_(void)
{
	static uint64_t q[1024];
	uint64_t h = 0, t = 0, s = 0;
	for (;;) {
		q[t++ & 1023] = s;
		if (t - h > 700)
			s += q[h++ & 1023];
		sink = s;
	}
}

/* Stores and loads of 64 places by index. */
static void alias(void)
{
	static uint64_t v[8192];
	static uint16_t p[4096], q[4096];
	for (int i = 0; i < 4096; i++)
		p[i] = rnd() & 63, q[i] = rnd() & 63;
	for (;;)
		for (int i = 0; i < 4096; i++) {
			v[p[i] * 8] = i * 3;
			sink = v[q[i] * 8];
		}
}

/* Stores whose addresses come late. */
static void slowst(void)
{
	static uint64_t v[4096];
	uint64_t a = 7;
	for (;;) {
		a = a * 1103515245 / 3 + 12345;
		v[a & 4095] = a;
		a += v[(a >> 12) & 4095] + v[5];
	}
}

/* An array of rows, column by column. */
static void rows(void)
{
	enum { N = 1024 };
	static float a[N][N];
	for (;;)
		for (int j = 0; j < N; j++)
			for (int i = 0; i < N; i++)
				a[i][j] += 1;
}

/* A binary search tree. */
static void tree(void)
{
	enum { N = 1 << 14 };
	static struct {
		int32_t l, r;
		uint64_t k;
	} t[N];
	int n = 1;
	t[0].k = 1ull << 63;
	t[0].l = t[0].r = -1;
	while (n < N) {
		uint64_t k = rnd();
		int i = 0;
		for (;;) {
			int32_t *c = k < t[i].k ? &t[i].l : &t[i].r;
			if (*c < 0) {
				*c = n;
				t[n].k = k;
				t[n].l = t[n].r = -1;
				n++;
				break;
			}
			i = *c;
		}
	}
	for (;;) {
		uint64_t k = rnd();
		int i = 0;
		while (i >= 0) {
			sink = i;
			i = k < t[i].k ? t[i].l : t[i].r;
		}
	}
}

static double f1(double x)
{
	return x * x;
}
static double f2(double x)
{
	return x + 1;
}
static double f3(double x)
{
	return 1 / (x + 2);
}
static double f4(double x)
{
	return x - 3;
}

/* Calls by random pointers. */
static void calls(void)
{
	double (*const volatile f[4])(double) = {f1, f2, f3, f4};
	double s = 0;
	for (;;) {
		for (int i = 0; i < 64; i++)
			s = f[rnd() & 3](s) * .5;
		sink = s;
	}
}

/* A chain of additions beside a branch. */
static void wide(void)
{
	static double a[1 << 12];
	for (;;) {
		double s = 0, t = 0, u = 0, v = 0;
		for (int i = 0; i < 1 << 12; i += 4)
			s += a[i] * 3, t += a[i + 1] * a[i + 1], u -= a[i + 2], v += a[i + 3] / 3;
		sink = s + t + u + v;
	}
}

/* Snprintf. */
static void printfs(void)
{
	char b[200];
	for (int i = 0;; i++) {
		snprintf(b, sizeof b, "%d %s %x %.3f", i, "abc", i * 7, i * .37);
		sink += b[3];
	}
}

/* Malloc and free of random sizes. */
static void mallocs(void)
{
	static void *p[1024];
	for (;;) {
		int i = rnd() & 1023;
		free(p[i]);
		p[i] = malloc(16 + (rnd() & 511));
	}
}

/* Sin, exp and log. */
static void math_(void)
{
	double s = 0;
	for (int i = 0;; i++) {
		s += sin(i * .01) + exp(-(i & 15)) + log(i + 1);
		sink = s;
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} loops[] = {{"histogram", histogram},
	     {"bighist", bighist},
	     {"gather", gather},
	     {"scatter", scatter},
	     {"chase", chase},
	     {"bsearch", bsearch_},
	     {"sieve", sieve},
	     {"matmul", matmul},
	     {"stencil", stencil},
	     {"spmv", spmv},
	     {"sort", sort_},
	     {"inssort", inssort},
	     {"memcpy", memcpy_},
	     {"memset", memset_},
	     {"strlen", strlen_},
	     {"popcount", popcount_},
	     {"lcs", lcs},
	     {"bfs", bfs},
	     {"heap", heap},
	     {"hash", hash_},
	     {"interp", interp},
	     {"fib", fib_},
	     {"nbody", nbody},
	     {"mandel", mandel},
	     {"divs", divs},
	     {"sha", sha},
	     {"crc", crc_},
	     {"queue", queue_},
	     {"alias", alias},
	     {"slowst", slowst},
	     {"rows", rows},
	     {"tree", tree},
	     {"calls", calls},
	     {"wide", wide},
	     {"printf", printfs},
	     {"malloc", mallocs},
	     {"math", math_}};

int main(int argc, char **argv)
{
	for (unsigned i = 0; i < sizeof loops / sizeof *loops; i++)
		if (argc < 2)
			puts(loops[i].name);
		else if (!strcmp(argv[1], loops[i].name))
			loops[i].run();
	return argc > 1;
}
