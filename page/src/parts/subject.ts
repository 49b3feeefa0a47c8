// What the page is about, for titles of saved pictures; the result, for every view.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Result } from "../data";

export const ResultContext = createContext<Result>(null as unknown as Result);
export const useResult = (): Result => useContext(ResultContext);
export const SubjectContext = createContext("");
export const useSubject = (): string => useContext(SubjectContext);
