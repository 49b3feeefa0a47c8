// The views, in the order of the tabs.
import type { ComponentType } from "preact";
import type { Result } from "../data";
import { CodeView } from "./code";
import { MachineView } from "./machine";
import { MethodsView } from "./methods";
import { PathView } from "./path";
import { PipelineView } from "./pipeline";
import { StacksView } from "./stacks";
import { TimeView } from "./time";
import { VerdictView } from "./verdict";
import { WhatIfView } from "./whatif";
import { WhyView } from "./why";

interface View {
  name: string;
  title: string;
  question: string;
  has: (r: Result) => boolean;
  needs: string; // to have it
  body: ComponentType;
}

export const views: View[] = [
  { name: "verdict", title: "Verdict", question: "What is wrong, where, and what would removing it bring?",
    has: () => true, needs: "", body: VerdictView },
  { name: "time", title: "Time", question: "What took the time, and when?",
    has: (r) => !!r.phases && r.phases.first.length > 0, needs: "culprit run --with phases", body: TimeView },
  { name: "stacks", title: "Stacks", question: "What did the cycles wait for?",
    has: (r) => !!r.commit_stack, needs: "a functional run has no cycles", body: StacksView },
  { name: "whatif", title: "What if", question: "What to remove, and what with it?",
    has: (r) => !!r.graph, needs: "culprit run --with graph", body: WhatIfView },
  { name: "why", title: "Why", question: "Which stall caused which?",
    has: (r) => !!r.stalls, needs: "culprit run --with stalls", body: WhyView },
  { name: "code", title: "Code", question: "Which function, line and instruction?",
    has: (r) => !!r.functions, needs: "a run with a stack and functions", body: CodeView },
  { name: "path", title: "Critical path", question: "Which instructions does the time hang on?",
    has: (r) => !!r.critical, needs: "culprit run --with critical", body: PathView },
  { name: "pipeline", title: "Pipeline", question: "What happens, instruction by instruction?",
    has: (r) => !!r.pipeline && r.pipeline.code.length > 0, needs: "culprit run --with pipeline", body: PipelineView },
  { name: "methods", title: "Methods", question: "Whom to believe?",
    has: (r) => !!r.causes, needs: "a run with cycles", body: MethodsView },
  { name: "machine", title: "Machine", question: "What was simulated, and how to do it again?",
    has: () => true, needs: "", body: MachineView },
];
