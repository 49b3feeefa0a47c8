/* Pages that are copied to others: stores miss as well as loads, and write long after the loads behind them have issued. */
#include <string.h>

static unsigned char pages[256][4096];

int main(void)
{
	for (int i = 0; i < 60; i++)
		memcpy(pages[2 * i & 255], pages[(2 * i + 1) & 255], 3001);
	return pages[0][0];
}
