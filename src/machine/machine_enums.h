/* The enumerations of machine_enums.def: enum TAG { TAG_NAME, ... }. */
#ifndef CULPRIT_MACHINE_MACHINE_ENUMS_H
#define CULPRIT_MACHINE_MACHINE_ENUMS_H

enum disambiguation { disambiguation_perfect, disambiguation_store_sets, disambiguation_conservative };
enum replacement { replacement_lru, replacement_plru, replacement_random, replacement_fifo, replacement_srrip };
enum prefetcher { prefetcher_none, prefetcher_next_line, prefetcher_stride, prefetcher_stream };
enum direction_predictor {
	direction_predictor_static_,
	direction_predictor_taken,
	direction_predictor_not_taken,
	direction_predictor_bimodal,
	direction_predictor_gshare,
	direction_predictor_combined,
	direction_predictor_tage_sc_l,
	direction_predictor_oracle,
};
enum indirect_predictor { indirect_predictor_btb, indirect_predictor_ittage };

#endif
