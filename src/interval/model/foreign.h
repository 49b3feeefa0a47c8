/* By how much the IPC was off simulation's, in per cent, with profiles of other machines (model_result.foreign).
 * Measured by studies/foreign, which prints these three; tests/cli/model-machines holds them to studies/foreign.csv. */
#ifndef CULPRIT_INTERVAL_MODEL_FOREIGN_H
#define CULPRIT_INTERVAL_MODEL_FOREIGN_H

#define MODEL_FOREIGN_MEAN 10.7
#define MODEL_FOREIGN_MOST 28.9 /* in nine predictions of ten */
#define MODEL_FOREIGN_PREDICTIONS 55

#endif
