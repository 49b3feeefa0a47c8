// What libculprit is told of the core: a record for each micro-operation that commits. This file and feed.cc
// are the patch, with the lines of core.h and core.cc that end in "// culprit".
#pragma once
#include "core.h"

#include <culprit/library.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace twowide
{

class Feed
{
      public:
	// `without`: a field of the records that is left out, as if the core did not know, or "parameters": the machine
	// file alone says what the core is. "" = nothing. `recordFile`: the records go there, too; "" = nowhere.
	Feed(const std::string &machineFile, const Config &config, std::string without,
	     const std::string &recordFile = "");
	void take(const Uop &u);
	void finish(uint64_t cycles);

	const culprit_graph_results *graph() const
	{
		return culprit_analysis_graph(costs.get());
	}
	std::string checked() const; // the check's findings as JSON
	culprit_event_set withheld() const
	{
		return culprit_fields_lose(unknown);
	} // classes that nothing can be said of

      private:
	struct Free {
		void operator()(culprit_machine *m) const
		{
			culprit_machine_destroy(m);
		}
		void operator()(culprit_analysis *a) const
		{
			culprit_analysis_destroy(a);
		}
		void operator()(culprit_recording *r) const
		{
			culprit_recording_destroy(r);
		}
	};
	std::unique_ptr<culprit_machine, Free> machine;
	std::unique_ptr<culprit_analysis, Free> costs, check;
	std::unique_ptr<culprit_recording, Free> recording;
	culprit_field_set unknown = 0;
	Config config;
	Uop before = {};
	bool plain = false; // without the parameters
	bool any = false;   // `before` is the micro-operation in front
};

} // namespace twowide
