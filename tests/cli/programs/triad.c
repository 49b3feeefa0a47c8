/* Two arrays are read and one is written: lines that a stride prefetcher asks for, as fast as MSHRs and memory bring them. */
#define WORDS (1 << 16)

static volatile double a[WORDS], b[WORDS], c[WORDS];

int main(void)
{
	for (int i = 0; i < WORDS; i++)
		c[i] = a[i] + 3 * b[i];
	return 0;
}
