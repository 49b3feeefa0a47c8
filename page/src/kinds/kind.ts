// A kind of result: what stands above its views, and the views.
import type { ComponentChildren, ComponentType } from "preact";

export interface View {
  name: string;
  title: string;
  question: string;
  has: boolean;
  needs: string; // to have it
  body: ComponentType;
}

export interface Kind {
  subject: string; // in one line, for titles
  heading: ComponentChildren;
  summary: ComponentChildren;
  views: View[];
  isCarried?: (key: string) => boolean; // keys of the fragment that go along from view to view
}
