// Numbers and names as they are printed.
const grouped = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

// A true minus sign, and none before what is rounded to 0.
const minus = (text: string): string => text.replace(/^-(?=[\d.,]*[1-9])/, "\u2212").replace(/^-/, "");
const fixed = (n: number, digits: number): string => minus(n.toFixed(digits));

export const count = (n: number): string => minus(grouped.format(n));
export const change = (n: number): string => (n > 0 ? "+" : "") + count(n);
// With one digit, what is there and rounds to nothing is said to be less than what can be said.
export const percent = (part: number, whole: number, digits = 1): string =>
  whole <= 0 ? "-" : digits === 1 && part > 0 && isLittle(part / whole) ? "<0.1%" : `${fixed((100 * part) / whole, digits)}%`;
// Too little for a row or an entry of its own.
export const isLittle = (share: number): boolean => Math.abs(share) < 0.0005;
export const signed = (n: number, digits = 1): string => (n > 0 ? "+" : "") + fixed(n, digits);
export const decimals = (n: number | null | undefined, digits: number): string => (n === null || n === undefined ? "-" : fixed(n, digits));
export const hex = (n: number): string => "0x" + n.toString(16);
export const sum = (amounts: Record<string, number>): number => Object.values(amounts).reduce((a, b) => a + b, 0);
export const byAmount = (amounts: Record<string, number>): [string, number][] =>
  Object.entries(amounts).filter(([, n]) => n !== 0).sort((a, b) => b[1] - a[1]);

// 1.2 M, 340 k: where room is short.
export function short(n: number): string {
  const size = Math.abs(n);
  if (size >= 1e9) return (n / 1e9).toFixed(size >= 1e10 ? 0 : 1) + " G";
  if (size >= 1e6) return (n / 1e6).toFixed(size >= 1e7 ? 0 : 1) + " M";
  if (size >= 1e4) return (n / 1e3).toFixed(0) + " k";
  return count(n);
}
