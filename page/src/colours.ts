// The colours of src/report/palette.def, which `culprit` writes into the page, and what names of rows mean.
const table: Record<string, string> = JSON.parse(document.getElementById("palette")!.textContent!);

export const colour = (name: string): string => table[name] ?? "#787878";

// Black or white, whichever can be read on it.
export function ink(background: string): string {
  const part = (at: number) => {
    const c = parseInt(background.slice(at, at + 2), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * part(1) + 0.7152 * part(3) + 0.0722 * part(5);
  return luminance > 0.179 ? "#000000" : "#ffffff";
}

// Kinds of the critical path and sets of stall types belong to the same families.
const kin: Record<string, string> = {
  dshare: "dmem", il2: "il2", frontend: "fetch", schedule: "operand", retire: "delay", memory: "order",
  predictor: "mispredict", execute: "long_op", queues: "slots", issue: "operand", dispatch: "window", stalls: "unknown",
  branches: "branches", imiss: "imiss", commit: "commit",
};

export const kindColour = (kind: string): string => table[kind] ?? table[kin[kind] ?? ""] ?? "#787878";
