#include "analysis/truth/score.h"

#include <math.h>
#include <stdint.h>

double truth_score_percent(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

static double over(double sum, size_t count)
{
	return count ? sum / (double)count : 0;
}

struct truth_score_summary truth_score_summarise(const struct truth_score_point *points, size_t count)
{
	struct truth_score_summary s = {.worst = SIZE_MAX};
	double all = 0, singles = 0, relative = 0, largest = -1;
	for (size_t i = 0; i < count; i++) {
		const struct truth_score_point *p = &points[i];
		double error = fabs(p->method - p->truth);
		if (!p->counted)
			continue;
		s.count++;
		all += error;
		if (error > largest) {
			largest = error;
			s.worst = i;
		}
		if (!p->single)
			continue;
		s.singles++;
		singles += error;
		if (fabs(p->truth) >= TRUTH_SCORE_LEAST) {
			s.relative_count++;
			relative += 100 * error / fabs(p->truth);
		}
	}
	s.mean = over(all, s.count);
	s.mean_singles = over(singles, s.singles);
	s.relative = over(relative, s.relative_count);
	return s;
}
