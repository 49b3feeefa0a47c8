// A machine as it is laid out in a machine file, as pairs of key and value: "window.rob", "64".
export function flatten(value: unknown, path = ""): [string, string][] {
  if (Array.isArray(value)) {
    if (value.some((v) => typeof v === "object" && v !== null))
      return value.flatMap((v, i) => flatten(v, `${path}.${(v as { name?: string })?.name ?? i}`));
    return [[path, value.join(", ") || "(none)"]];
  }
  if (typeof value === "object" && value !== null)
    return Object.entries(value).flatMap(([k, v]) => flatten(v, path ? `${path}.${k}` : k));
  return [[path, String(value)]];
}
