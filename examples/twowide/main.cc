// twowide [-n INSTRUCTIONS] [-s SEED] [-a ASKED] [-w FIELD] [-j] [-o FILE] [PROGRAM...]: runs made-up programs, and
// prints what each event class costs, in percent of the time: by libculprit's graph, and by idealised runs of the core
// itself. -a asks for the lines of so many instructions ahead of fetch; -w leaves a field of the records out; -j prints
// a line of JSON for each program, with what the check says; -o writes the records of the last program to a file, for
// culprit analyse and culprit check.
// Status 1: a cost is more than 1.5 points off, or the graph's length 0.5%.
#include "feed.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

using namespace twowide;

namespace
{

struct Options {
	size_t instructions = 100000;
	uint64_t seed = 1;
	std::string without, file, machine = TWOWIDE_MACHINE;
	bool json = false;
	Config core;
	std::vector<std::string> mixes;
};

struct Class {
	const char *name;
	bool Ideal::*ideal;
};
const Class classes[] = {{"dl1", &Ideal::dl1},	   {"win", &Ideal::win},     {"bw", &Ideal::bw},
			 {"bmisp", &Ideal::bmisp}, {"dmiss", &Ideal::dmiss}, {"shalu", &Ideal::shalu},
			 {"lgalu", &Ideal::lgalu}, {"imiss", &Ideal::imiss}};
enum { Classes = 8 };

Options parse(int argc, char **argv)
{
	Options o;
	for (int i = 1; i < argc; i++) {
		std::string word = argv[i];
		if (word == "-j")
			o.json = true;
		else if ((word == "-n" || word == "-s" || word == "-a" || word == "-w" || word == "-o") &&
			 i + 1 < argc) {
			const char *value = argv[++i];
			if (word == "-n")
				o.instructions = strtoull(value, nullptr, 0);
			else if (word == "-s")
				o.seed = strtoull(value, nullptr, 0);
			else if (word == "-a")
				o.core.asked = static_cast<unsigned>(strtoul(value, nullptr, 0));
			else if (word == "-o")
				o.file = value;
			else
				o.without = value;
		} else
			o.mixes.push_back(word);
	}
	return o;
}

uint64_t idealised(const Config &core, const std::vector<Insn> &trace, unsigned set)
{
	Ideal ideal;
	for (unsigned k = 0; k < Classes; k++)
		ideal.*classes[k].ideal = set >> k & 1;
	return Core(core, ideal, trace).run();
}

struct Comparison {
	uint64_t cycles;
	double baseError, graph[Classes], truth[Classes], worst;
	bool known[Classes]; // else the graph says nothing of the class
	std::string check;
};

double percent(double part, double whole)
{
	return 100 * part / whole;
}

Comparison compare(const Options &o, const Mix &mix)
{
	std::vector<Insn> trace = makeProgram(mix, o.instructions, o.seed);
	Feed feed(o.machine, o.core, o.without, o.file);
	Comparison x = {};
	x.cycles = Core(o.core, Ideal(), trace).run(&feed);
	feed.finish(x.cycles);
	const culprit_graph_results &g = *feed.graph();
	double base = static_cast<double>(x.cycles), length = static_cast<double>(g.time[0]);
	x.baseError = percent(length - base, base);
	for (unsigned k = 0; k < Classes; k++) {
		x.known[k] = !(feed.withheld() >> k & 1);
		x.truth[k] = percent(base - static_cast<double>(idealised(o.core, trace, 1u << k)), base);
		x.graph[k] = percent(static_cast<double>(g.cost[1u << k]), length);
		if (x.known[k])
			x.worst = std::max(x.worst, std::fabs(x.graph[k] - x.truth[k]));
	}
	x.check = feed.checked();
	return x;
}

void print(const Mix &mix, const Comparison &x)
{
	printf("%-9s%9llu cycles; the graph's length is %+.2f%% off, the worst cost %.2f points\n         ", mix.name,
	       static_cast<unsigned long long>(x.cycles), x.baseError, x.worst);
	for (const Class &c : classes)
		printf("%7s", c.name);
	printf("\n  graph  ");
	for (unsigned k = 0; k < Classes; k++)
		if (x.known[k])
			printf("%7.1f", x.graph[k]);
		else
			printf("%7s", "-");
	printf("\n  truth  ");
	for (double t : x.truth)
		printf("%7.1f", t);
	printf("\n");
}

void printJson(const Mix &mix, const Comparison &x)
{
	std::string check = x.check;
	for (char &c : check)
		c = c == '\n' ? ' ' : c;
	printf("{\"program\": \"%s\", \"cycles\": %llu, \"base_error\": %.3f, \"costs\": {", mix.name,
	       static_cast<unsigned long long>(x.cycles), x.baseError);
	for (unsigned k = 0; k < Classes; k++) {
		printf("%s\"%s\": {\"truth\": %.3f, \"graph\": ", k ? ", " : "", classes[k].name, x.truth[k]);
		if (x.known[k])
			printf("%.3f}", x.graph[k]);
		else
			printf("null}");
	}
	printf("}, \"check\": %s}\n", check.c_str());
}

} // namespace

int main(int argc, char **argv)
try {
	Options o = parse(argc, argv);
	bool good = true;
	for (const Mix &mix : mixes()) {
		bool wanted = o.mixes.empty();
		for (const std::string &name : o.mixes)
			wanted = wanted || name == mix.name;
		if (!wanted)
			continue;
		Comparison x = compare(o, mix);
		o.json ? printJson(mix, x) : print(mix, x);
		good = good && x.worst <= 1.5 && std::fabs(x.baseError) <= 0.5;
	}
	return !good;
} catch (const std::exception &e) {
	fprintf(stderr, "twowide: %s\n", e.what());
	return 2;
}
