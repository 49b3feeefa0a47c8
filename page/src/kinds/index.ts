// Which kind of result a file holds, by the name of its schema.
import type { Result } from "../data";
import { diffKind } from "./diff";
import type { Kind } from "./kind";
import { modelKind } from "./model";
import { runKind } from "./run";
import { sweepKind } from "./sweep";
import { truthKind } from "./truth";

export function kindOf(result: Result): Kind {
  switch (result.schema.replace(/\/.*/, "")) {
    case "culprit-sweep": return sweepKind(result);
    case "culprit-truth": return truthKind(result);
    case "culprit-model": return modelKind(result);
    case "culprit-diff": return diffKind(result);
    default: return runKind(result);
  }
}
