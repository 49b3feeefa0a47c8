// The views, in the order of the tabs.
import type { ComponentType } from "preact";
import type { Result } from "../data";
import { CodeView } from "./code";
import { StacksView } from "./stacks";
import { VerdictView } from "./verdict";

interface View {
  name: string;
  title: string;
  question: string;
  has: (r: Result) => boolean;
  needs: string; // to have it
  body: ComponentType;
}

export const views: View[] = [
  { name: "verdict", title: "Verdict", question: "What is wrong, where, and what would mending it bring?",
    has: () => true, needs: "", body: VerdictView },
  { name: "stacks", title: "Stacks", question: "What did the cycles wait for?",
    has: (r) => !!r.commit_stack, needs: "a functional run has no cycles", body: StacksView },
  { name: "code", title: "Code", question: "Which function, line and instruction?",
    has: (r) => !!r.functions, needs: "a run without analyses has no functions", body: CodeView },
];
