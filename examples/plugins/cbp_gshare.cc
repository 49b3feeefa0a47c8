// A predictor as it was written for the branch prediction championship, as a plug-in:
//     c++ -shared -fPIC -O2 -I include -o cbp_gshare.so examples/plugins/cbp_gshare.cc
//     culprit run --predictor ./cbp_gshare.so -- PROG
#include <culprit/cbp.hpp> // in place of "utils.h"

class PREDICTOR
{
	static const UINT32 entries = 1 << 12;
	UINT64 history;
	UINT8 counters[entries];

	UINT32 index(UINT64 PC) const
	{
		return (UINT32)(PC >> 1 ^ history) % entries;
	}

      public:
	PREDICTOR() : history(0)
	{
		for (UINT32 i = 0; i < entries; i++)
			counters[i] = 2;
	}

	bool GetPrediction(UINT64 PC)
	{
		return counters[index(PC)] >= 2;
	}

	void UpdatePredictor(UINT64 PC, OpType opType, bool resolveDir, bool predDir, UINT64 branchTarget)
	{
		UINT8 &c = counters[index(PC)];
		(void)opType, (void)predDir, (void)branchTarget;
		c = (UINT8)(resolveDir ? c + (c < 3) : c - (c > 0));
		history = history << 1 | resolveDir;
	}

	void TrackOtherInst(UINT64 PC, OpType opType, bool taken, UINT64 branchTarget)
	{
		(void)PC, (void)opType, (void)taken, (void)branchTarget;
	}
};

CULPRIT_CBP_PREDICTOR(PREDICTOR, "championship's gshare")
