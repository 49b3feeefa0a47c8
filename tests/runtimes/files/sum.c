static int sum(const int *p, int n)
{
	int s = 0;
	for (int i = 0; i < n; i++)
		s += p[i] * i;
	return s;
}
int main(int argc, char **argv)
{
	int a[16];
	(void)argv;
	for (int i = 0; i < 16; i++)
		a[i] = argc + i;
	return sum(a, 16) & 127;
}
